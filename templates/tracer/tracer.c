/* The tracer of `loopsheet record`: a TCG plugin of QEMU's user-mode emulator that writes a line for each
 * instruction that a program executes:
 *
 *     hart, pc, machine word, "disassembly"[, load|store, address]...
 *
 * or, with `native`, the same in the compact format that src/trace/native/mod.rs describes.
 *
 * loopsheet builds it with `cc -O2 -shared -fPIC` and loads it with
 *
 *     -plugin FILE,out=FD,state=FD[,native=1][,limit=N][,code=ADDRESS,function=LOW:HIGH...[,inside=1]]
 *
 *     out       descriptor that the lines are written to
 *     state     descriptor of shared memory, laid out as `struct state`: how far the run got, and the lines
 *               not yet written. However the program ends, loopsheet finds the last lines there.
 *     native    write the compact format
 *     limit     end the program after so many lines
 *     code      lowest address of the executable segments as linked; with the address that they were loaded
 *               at it gives the load bias
 *     function  record only while this function runs, what it calls included (addresses as linked)
 *     inside    record only what lies inside the functions, without what they call
 *
 * An instruction that does not touch memory is written as it starts. A load or store is written when its
 * access is done, so that between harts the order of lines is the order of accesses as closely as can be
 * had without stopping the harts; an instruction that faults is not written.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- What is used of QEMU's plugin interface; distributions ship no header for it. ---- */

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
} qemu_info_t;
enum { CB_NO_REGS = 0, MEM_RW = 3 };

typedef void (*tb_trans_cb)(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void (*vcpu_cb)(qemu_plugin_id_t, unsigned int);
typedef void (*exit_cb)(qemu_plugin_id_t, void *);
typedef void (*exec_cb)(unsigned int, void *);
typedef void (*mem_cb)(unsigned int, qemu_plugin_meminfo_t, uint64_t, void *);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t, vcpu_cb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, tb_trans_cb);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, exit_cb, void *);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, exec_cb, int flags, void *);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, mem_cb, int flags, int rw, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);
uint64_t qemu_plugin_start_code(void);
void qemu_plugin_insn_data(void);
/* It returns the data up to version 2, and copies them from version 3 on. */
static const union {
    void (*declared)(void);
    const void *(*get)(const struct qemu_plugin_insn *);
    size_t (*copy)(const struct qemu_plugin_insn *, void *, size_t);
} insn_data = {qemu_plugin_insn_data};
/* Only there from version 2 on. */
__attribute__((weak)) void *qemu_plugin_scoreboard_new(size_t);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;

/* QEMU reads the number after it has loaded the plugin, and later releases refuse version 1. */
__attribute__((constructor)) static void choose_version(void)
{
    if (qemu_plugin_scoreboard_new)
        qemu_plugin_version = 2;
}

/* ---- Shared with loopsheet: src/commands/record/shared.rs reads the same layout. ---- */

enum { STATE_BYTES = 4096, BUFFER_BYTES = 1 << 20 };
/* The streams of the chunk at hand: a chunk with its header fits into the buffer. */
enum { CONTROL_BYTES = 1 << 18, ADDRESSES_BYTES = (1 << 20) - (1 << 18) - 4096 };
enum phase { LOADED = 1, STARTED = 2, ENDED = 3, LIMIT_REACHED = 4 };

struct state {
    uint64_t phase;        /* enum phase; 0: the plugin was not loaded */
    uint64_t instructions; /* lines made */
    uint64_t written;      /* bytes that `out` has taken */
    uint64_t used;         /* bytes of the buffer that it has not taken; they end with a whole line */
    uint64_t start;        /* where in the buffer they start */
    uint64_t error;        /* errno of the write that failed */
    uint64_t bias;         /* load address less link address */
    uint64_t entered;      /* times that a wanted function was entered */
    uint64_t open;         /* of the chunk at hand: bytes of control (19 bits) and addresses (20), foreseen executions
                            * at its end (19), its number modulo 64. While it has any, `used` says nothing. */
};

static struct state *state;
static char *buffer;
static size_t filled; /* end of the lines in the buffer */
static int out_fd = -1;
static bool native;
static uint8_t *control, *addresses; /* streams of the chunk at hand */
static uint64_t limit = UINT64_MAX;
static bool stopped; /* in children of fork: only the first process is recorded */
static bool several_harts;
static int api_version;
static pthread_mutex_t lines_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t texts_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Functions to record ---- */

struct range {
    uint64_t low, high;
};
static struct range *ranges;
static size_t n_ranges;
static bool inside_only;
static uint64_t linked_code;

static bool in_ranges(uint64_t pc)
{
    for (size_t i = 0; i < n_ranges; i++)
        if (pc >= ranges[i].low && pc < ranges[i].high)
            return true;
    return false;
}

static bool is_entry(uint64_t pc)
{
    for (size_t i = 0; i < n_ranges; i++)
        if (pc == ranges[i].low)
            return true;
    return false;
}

/* ---- Instructions, one entry for each (pc, word) ---- */

enum kind {
    NO_ACCESS,
    ONE_ACCESS,
    READ_MODIFY_WRITE, /* written once as a load and a store: with several harts QEMU reports one access only */
    CONDITIONAL_STORE, /* none or one; QEMU reports the compare as a load, which it is not */
    ANY_ACCESSES
};
enum flow { BLOCK_START = 1, CALL = 2, RETURN = 4, ENTRY = 8 };

struct insn {
    uint64_t pc;
    struct insn *next;
    struct insn *first; /* of those with this pc and word, which differ by flow */
    uint32_t word;
    uint32_t length;
    uint32_t number; /* in the order of first execution, from 1 on; 0 until then */
    uint8_t kind, flow, size, text_start;
    _Alignas(8) char text[];
};

enum { BUCKETS = 1 << 16, CHUNK = 32, LINE_ROOM = 512, MAX_HARTS = 1 << 16, MAX_CALLS = 1 << 20 };
static struct insn *buckets[BUCKETS];

static enum kind kind_of(uint32_t word)
{
    uint32_t funct3;
    if ((word & 3) != 3) {
        funct3 = word >> 13 & 7;
        if ((word & 3) == 1 || funct3 == 0)
            return NO_ACCESS;
        if (funct3 == 4)
            return (word & 3) == 2 ? NO_ACCESS : ANY_ACCESSES;
        return ONE_ACCESS;
    }
    funct3 = word >> 12 & 7;
    switch (word & 0x7f) {
    case 0x03: /* LOAD */
    case 0x23: /* STORE */
        return ONE_ACCESS;
    case 0x07: /* LOAD-FP, STORE-FP, and vectors in the other widths */
    case 0x27:
        return funct3 >= 1 && funct3 <= 4 ? ONE_ACCESS : ANY_ACCESSES;
    case 0x2f: /* AMO */
        switch (word >> 27) {
        case 2:
            return ONE_ACCESS;
        case 3:
            return CONDITIONAL_STORE;
        case 0: case 1: case 4: case 8: case 12: case 16: case 20: case 24: case 28:
            return READ_MODIFY_WRITE;
        default:
            return ANY_ACCESSES;
        }
    case 0x13: case 0x17: case 0x1b: case 0x33: case 0x37: case 0x3b: /* OP-IMM AUIPC OP-IMM-32 OP LUI OP-32 */
    case 0x43: case 0x47: case 0x4b: case 0x4f: case 0x53:            /* FMADD … FNMADD, OP-FP */
    case 0x57: case 0x63: case 0x67: case 0x6f:                       /* OP-V BRANCH JALR JAL */
        return NO_ACCESS;
    case 0x0f: /* fences; cbo */
        return funct3 <= 1 ? NO_ACCESS : ANY_ACCESSES;
    case 0x73: /* SYSTEM; hypervisor loads */
        return funct3 != 4 ? NO_ACCESS : ANY_ACCESSES;
    default:
        return ANY_ACCESSES;
    }
}

static bool is_link(uint32_t reg)
{
    return reg == 1 || reg == 5;
}

/* Calls and returns by the convention for link registers (unprivileged ISA, table of return-address hints). */
static uint8_t flow_of(uint32_t word)
{
    uint32_t rd = word >> 7 & 31, rs1 = word >> 15 & 31;
    if ((word & 3) != 3) {
        if ((word & 0xf07f) == 0x8002 && is_link(rd))
            return RETURN;
        return (word & 0xf07f) == 0x9002 && rd ? CALL : 0;
    }
    if ((word & 0x7f) == 0x6f)
        return is_link(rd) ? CALL : 0;
    if ((word & 0x7f) == 0x67)
        return is_link(rd) ? CALL : is_link(rs1) ? RETURN : 0;
    return 0;
}

static struct insn *find_insn(uint64_t pc, uint32_t word, size_t size, uint8_t flow, const struct qemu_plugin_insn *from)
{
    struct insn **bucket = &buckets[(pc >> 1 ^ pc >> 17) % BUCKETS], *insn, *same = NULL;
    for (insn = *bucket; insn; insn = insn->next)
        if (insn->pc == pc && insn->word == word) {
            if (insn->flow == flow)
                return insn;
            same = insn->first;
        }

    char head[64];
    int head_length = snprintf(head, sizeof head, ", 0x%llx, 0x%x, \"", (unsigned long long)pc, word);
    char *disassembly = qemu_plugin_insn_disas(from);
    size_t most = head_length + strlen(disassembly) + 1;
    most = most > LINE_ROOM / 2 ? LINE_ROOM / 2 : most;
    insn = malloc(sizeof *insn + most + CHUNK);
    if (!insn)
        abort();
    memcpy(insn->text, head, head_length);
    /* Up to QEMU 8 the machine word comes first; mnemonics are padded, and one space is enough. */
    const char *mnemonic = disassembly;
    char hex[16];
    int hex_length = snprintf(hex, sizeof hex, size == 2 ? "%04x " : "%08x ", word);
    if (!strncmp(mnemonic, hex, hex_length))
        mnemonic += hex_length;
    size_t at = head_length;
    for (const char *c = mnemonic; *c && at < most - 1; c++) {
        bool blank = *c == ' ' || *c == '\t';
        if (blank && (insn->text[at - 1] == ' ' || insn->text[at - 1] == '"'))
            continue;
        insn->text[at++] = blank ? ' ' : *c == '"' || *c == '\n' ? '\'' : *c;
    }
    while (insn->text[at - 1] == ' ')
        at--;
    insn->text[at++] = '"';
    free(disassembly);
    insn->pc = pc;
    insn->word = word;
    insn->size = size;
    insn->length = at;
    insn->text_start = head_length;
    insn->number = 0;
    insn->first = same ? same : insn;
    insn->kind = kind_of(word);
    insn->flow = flow;
    insn->next = *bucket;
    *bucket = insn;
    return insn;
}

/* ---- Writing ---- */

/* Ends the traced program: nobody reads on, or nothing more can be written, or enough was. */
static void end_program(int status)
{
    _exit(status);
}

static void flush(void)
{
    /* The error number says the same, and does not kill. */
    sigset_t said_by_errno, before;
    sigemptyset(&said_by_errno);
    sigaddset(&said_by_errno, SIGPIPE);
    sigaddset(&said_by_errno, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &said_by_errno, &before);
    while (state->used > 0) {
        ssize_t n = write(out_fd, buffer + state->start, state->used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) {
            nanosleep(&(struct timespec){0, 1000000}, NULL);
            continue;
        }
        if (n < 0) {
            state->error = errno;
            end_program(1);
        }
        state->used -= n;
        state->start += n;
        state->written += n;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    state->start = 0;
    filled = 0;
}

/* What the compact format foresees of an instruction. */
struct slot {
    uint64_t address;  /* of its last access */
    uint32_t follower; /* number of what followed last time, 0 if nothing did */
};

struct hart {
    char name[16];
    uint32_t name_length, number;
    struct slot *slots; /* by number */
    uint32_t slots_room, last;
    struct insn *open; /* an instruction whose accesses are not all known yet */
    char *accesses;
    size_t accesses_length, accesses_room;
    /* Return addresses of the calls that have not returned; only kept when functions are asked for. */
    uint64_t *calls;
    size_t n_calls, calls_room, base;
    bool active, returning;
};
static struct hart *harts[MAX_HARTS];

/* QEMU gives the index of a thread that ended to a later one. Registers are not shared between the two, so each
 * thread has a number of its own in the trace. */
static void name_hart(struct hart *hart)
{
    static unsigned int next;
    hart->number = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
    hart->name_length = snprintf(hart->name, sizeof hart->name, "%u", hart->number);
    hart->last = 0;
    if (hart->slots)
        memset(hart->slots, 0, hart->slots_room * sizeof *hart->slots);
}

static struct hart *new_hart(unsigned int index)
{
    struct hart *hart = index < MAX_HARTS ? calloc(1, sizeof *hart) : NULL;
    if (!hart) {
        state->error = ENOMEM;
        end_program(1);
    }
    name_hart(hart);
    return harts[index] = hart;
}

static inline struct hart *hart_of(unsigned int index)
{
    struct hart *hart = index < MAX_HARTS ? harts[index] : NULL;
    return __builtin_expect(hart != NULL, 1) ? hart : new_hart(index);
}

static inline char *put_access(char *to, bool store, uint64_t address)
{
    memcpy(to, store ? ", store, 0x" : ", load, 0x ", 11);
    to += store ? 11 : 10;
    int digits = address ? (67 - __builtin_clzll(address)) / 4 : 1;
    for (int i = digits - 1; i >= 0; i--, address >>= 4)
        to[i] = "0123456789abcdef"[address & 15];
    return to + digits;
}

/* ---- The compact format ---- */

enum { CHUNK_HEADER = 24, MAX_RUN = (1 << 19) - 1 };
enum { CODE_NEW = 0, CODE_HART = 1, CODE_FIRST = 2 };
enum { HAS_PC_AND_WORD = 12 };

static uint32_t control_used, addresses_used, run, chunk_number, n_numbers, current_hart;

static inline uint8_t *put_number(uint8_t *to, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *to++ = number | 0x80;
    *to++ = number;
    return to;
}

static uint8_t *put_fixed(uint8_t *to, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++, number >>= 8)
        *to++ = number;
    return to;
}

static uint64_t mixed(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9e3779b97f4a7c15;
    return sum << 29 | sum >> 35;
}

static uint64_t mixed_stream(uint64_t sum, const uint8_t *from, size_t length)
{
    uint64_t word;
    for (; length >= sizeof word; from += sizeof word, length -= sizeof word) {
        memcpy(&word, from, sizeof word);
        sum = mixed(sum, le64toh(word));
    }
    word = 0;
    memcpy(&word, from, length);
    return mixed(sum, le64toh(word));
}

/* What is open: with one store, so that it is whole whenever the process dies. */
static inline void publish_open(void)
{
    uint64_t open = control_used | (uint64_t)addresses_used << 19 | (uint64_t)run << 39 | (uint64_t)chunk_number << 58;
    __atomic_store_n(&state->open, open, __ATOMIC_RELEASE);
}

static void write_chunk(void)
{
    static bool begun;
    if (control_used + run == 0)
        return;
    uint8_t *to = (uint8_t *)buffer;
    if (!begun)
        to = (uint8_t *)memcpy(to, "LSTRACE\1", 8) + 8;
    begun = true;
    uint64_t kind = 'C' | 'H' << 8 | 'N' << 16 | (uint64_t)'K' << 24;
    uint64_t first = kind | (uint64_t)control_used << 32, second = addresses_used | (uint64_t)run << 32;
    uint64_t sum = mixed(mixed(chunk_number, first), second);
    sum = mixed_stream(mixed_stream(sum, control, control_used), addresses, addresses_used);
    to = put_fixed(put_fixed(put_fixed(to, first, 8), second, 8), sum, 8);
    memcpy(to, control, control_used);
    memcpy(to + control_used, addresses, addresses_used);
    to += control_used + addresses_used;
    state->start = 0;
    state->used = to - (uint8_t *)buffer;
    control_used = addresses_used = run = 0;
    chunk_number = (chunk_number + 1) % 64;
    publish_open();
    flush();
}

static uint8_t *put_description(uint8_t *to, const struct insn *insn)
{
    size_t length = insn->length - insn->text_start - 1; /* without the closing quote */
    *to++ = (insn->kind == NO_ACCESS ? 0 : insn->kind <= READ_MODIFY_WRITE ? 1 : 2) | HAS_PC_AND_WORD;
    to = put_number(put_fixed(put_fixed(to, insn->pc, 8), insn->word, 4), length);
    return (uint8_t *)memcpy(to, insn->text + insn->text_start, length) + length;
}

static void grow_slots(struct hart *hart, uint32_t number)
{
    uint32_t room = hart->slots_room ? hart->slots_room : 1024;
    while (room <= number)
        room *= 2;
    hart->slots = realloc(hart->slots, room * sizeof *hart->slots);
    if (!hart->slots) {
        state->error = ENOMEM;
        end_program(1);
    }
    memset(hart->slots + hart->slots_room, 0, (room - hart->slots_room) * sizeof *hart->slots);
    hart->slots_room = room;
}

/* One execution with its addresses. */
static inline void put_native(struct hart *hart, struct insn *insn, const uint64_t *list, size_t count)
{
    if (several_harts)
        pthread_mutex_lock(&lines_lock);
    insn = insn->first;
    if (__builtin_expect(control_used + LINE_ROOM > CONTROL_BYTES || run == MAX_RUN ||
                             addresses_used + 10 * (count + 1) > ADDRESSES_BYTES, 0))
        write_chunk();
    uint8_t *to = control + control_used;
    if (__builtin_expect(hart->number != current_hart, 0)) {
        current_hart = hart->number;
        to = put_number(put_number(put_number(to, run), CODE_HART), current_hart);
        run = 0;
    }
    if (__builtin_expect(insn->number >= hart->slots_room, 0) || !insn->number)
        grow_slots(hart, insn->number ? insn->number : n_numbers + 1);
    uint32_t *follower = &hart->slots[hart->last].follower;
    if (__builtin_expect(insn->number && *follower == insn->number && hart->last, 1)) {
        run++;
    } else {
        to = put_number(to, run);
        run = 0;
        if (insn->number) {
            to = put_number(to, insn->number - 1 + CODE_FIRST);
        } else {
            insn->number = ++n_numbers;
            to = put_description(put_number(to, CODE_NEW), insn);
        }
        *follower = insn->number;
    }
    hart->last = insn->number;
    control_used = to - control;
    if (insn->kind != NO_ACCESS) {
        struct slot *slot = &hart->slots[insn->number];
        uint8_t *at = addresses + addresses_used;
        if (insn->kind > READ_MODIFY_WRITE)
            at = put_number(at, count);
        for (size_t i = 0; i < count; i++) {
            int64_t step = list[i] - slot->address;
            at = put_number(at, (uint64_t)step << 1 ^ (uint64_t)(step >> 63));
            slot->address = list[i];
        }
        addresses_used = at - addresses;
    }
    uint64_t done = state->instructions + 1;
    state->instructions = done;
    publish_open();
    if (__builtin_expect(done >= limit, 0)) {
        write_chunk();
        state->phase = LIMIT_REACHED;
        end_program(0);
    }
    if (several_harts)
        pthread_mutex_unlock(&lines_lock);
}

/* One line. `more` is text of accesses; otherwise up to two accesses to one address. */
static inline void put_line(struct hart *hart, struct insn *insn, bool load, bool store, uint64_t address,
                            const char *more, size_t more_length)
{
    if (native) {
        put_native(hart, insn, &address, load || store);
        return;
    }
    if (several_harts)
        pthread_mutex_lock(&lines_lock);
    if (__builtin_expect(filled + LINE_ROOM + more_length > BUFFER_BYTES, 0))
        flush();
    char *to = buffer + filled;
    memcpy(to, hart->name, sizeof hart->name);
    to += hart->name_length;
    for (uint32_t at = 0; at < insn->length; at += CHUNK)
        memcpy(to + at, insn->text + at, CHUNK);
    to += insn->length;
    if (load)
        to = put_access(to, false, address);
    if (store)
        to = put_access(to, true, address);
    if (more_length) {
        memcpy(to, more, more_length);
        to += more_length;
    }
    *to++ = '\n';
    size_t length = to - (buffer + filled);
    filled += length;
    uint64_t lines = state->instructions + 1;
    state->instructions = lines;
    /* Last, and not before the line is there: what the buffer holds is whole whenever the process dies. */
    __atomic_store_n(&state->used, state->used + length, __ATOMIC_RELEASE);
    if (__builtin_expect(lines >= limit, 0)) {
        flush();
        state->phase = LIMIT_REACHED;
        end_program(0);
    }
    if (several_harts)
        pthread_mutex_unlock(&lines_lock);
}

static void close_line(struct hart *hart)
{
    struct insn *insn = hart->open;
    hart->open = NULL;
    if (native)
        put_native(hart, insn, (const uint64_t *)hart->accesses, hart->accesses_length / sizeof(uint64_t));
    else
        put_line(hart, insn, false, false, 0, hart->accesses, hart->accesses_length);
    hart->accesses_length = 0;
}

static void add_access(struct hart *hart, bool store, uint64_t address)
{
    if (hart->accesses_length + LINE_ROOM > hart->accesses_room) {
        hart->accesses_room = hart->accesses_room ? 2 * hart->accesses_room : 4 * LINE_ROOM;
        hart->accesses = realloc(hart->accesses, hart->accesses_room);
        if (!hart->accesses || hart->accesses_room > BUFFER_BYTES / 2) {
            state->error = ENOMEM;
            end_program(1);
        }
    }
    if (native) {
        memcpy(hart->accesses + hart->accesses_length, &address, sizeof address);
        hart->accesses_length += sizeof address;
        return;
    }
    char *end = put_access(hart->accesses + hart->accesses_length, store, address);
    hart->accesses_length = end - hart->accesses;
}

/* ---- While which function runs ---- */

static void push_call(struct hart *hart, uint64_t back)
{
    if (hart->n_calls == MAX_CALLS) { /* calls that never return: forget the older half */
        size_t half = MAX_CALLS / 2;
        memmove(hart->calls, hart->calls + half, half * sizeof *hart->calls);
        hart->n_calls = half;
        hart->base = hart->base > half ? hart->base - half : 0;
    }
    if (hart->n_calls == hart->calls_room) {
        hart->calls_room = hart->calls_room ? 2 * hart->calls_room : 256;
        hart->calls = realloc(hart->calls, hart->calls_room * sizeof *hart->calls);
        if (!hart->calls)
            abort();
    }
    hart->calls[hart->n_calls++] = back;
}

/* A return ends the calls above the one that it goes back to. One that goes nowhere known (longjmp, a signal
 * handler) ends none; the next return of a caller puts that right. */
static void settle_return(struct hart *hart, uint64_t pc)
{
    hart->returning = false;
    for (size_t i = hart->n_calls; i-- > 0;) {
        if (hart->calls[i] == pc) {
            hart->n_calls = i;
            if (hart->active && hart->n_calls < hart->base)
                hart->active = false;
            return;
        }
    }
}

static inline bool follow(struct hart *hart, const struct insn *insn)
{
    if (insn->flow) {
        if (hart->returning && insn->flow & BLOCK_START)
            settle_return(hart, insn->pc);
        if (insn->flow & ENTRY && !hart->active) {
            hart->active = true;
            hart->base = hart->n_calls;
            __atomic_fetch_add(&state->entered, 1, __ATOMIC_RELAXED);
        }
        if (insn->flow & CALL)
            push_call(hart, insn->pc + insn->size);
        if (insn->flow & RETURN)
            hart->returning = true;
    }
    return hart->active;
}

/* ---- Callbacks ---- */

/* Everything is recorded that these are registered for. */

static void on_plain(unsigned int cpu, void *data)
{
    struct hart *hart = hart_of(cpu);
    if (stopped)
        return;
    if (__builtin_expect(hart->open != NULL, 0))
        close_line(hart);
    put_line(hart, data, false, false, 0, NULL, 0);
}

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    struct hart *hart = hart_of(cpu);
    if (stopped)
        return;
    if (__builtin_expect(hart->open != NULL, 0))
        close_line(hart);
    bool store = qemu_plugin_mem_is_store(info);
    put_line(hart, data, !store, store, address, NULL, 0);
}

static void on_read_modify_write(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    struct hart *hart = hart_of(cpu);
    if (stopped || !qemu_plugin_mem_is_store(info))
        return;
    if (hart->open)
        close_line(hart);
    put_line(hart, data, true, true, address, NULL, 0);
}

static void on_open(unsigned int cpu, void *data)
{
    struct hart *hart = hart_of(cpu);
    if (stopped)
        return;
    if (hart->open)
        close_line(hart);
    hart->open = data;
}

static void on_open_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    struct hart *hart = hart_of(cpu);
    const struct insn *insn = data;
    bool store = qemu_plugin_mem_is_store(info);
    if (stopped || hart->open != insn)
        return;
    if (insn->kind == CONDITIONAL_STORE && (!store || hart->accesses_length))
        return;
    add_access(hart, store, address);
}

/* The same while a function runs. */

static void on_flow(unsigned int cpu, void *data)
{
    follow(hart_of(cpu), data);
}

static void on_plain_in(unsigned int cpu, void *data)
{
    if (follow(hart_of(cpu), data))
        on_plain(cpu, data);
}

static void on_open_in(unsigned int cpu, void *data)
{
    if (follow(hart_of(cpu), data))
        on_open(cpu, data);
}

static void on_access_in(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    if (hart_of(cpu)->active)
        on_access(cpu, info, address, data);
}

static void on_read_modify_write_in(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    if (hart_of(cpu)->active)
        on_read_modify_write(cpu, info, address, data);
}

static void instrument(struct qemu_plugin_insn *handle, struct insn *insn, bool following)
{
    bool flow = following && insn->flow;
    switch ((enum kind)insn->kind) {
    case NO_ACCESS:
        qemu_plugin_register_vcpu_insn_exec_cb(handle, following ? on_plain_in : on_plain, CB_NO_REGS, insn);
        break;
    case ONE_ACCESS:
    case READ_MODIFY_WRITE: {
        bool one = insn->kind == ONE_ACCESS;
        mem_cb when = following ? (one ? on_access_in : on_read_modify_write_in) : one ? on_access : on_read_modify_write;
        if (flow)
            qemu_plugin_register_vcpu_insn_exec_cb(handle, on_flow, CB_NO_REGS, insn);
        qemu_plugin_register_vcpu_mem_cb(handle, when, CB_NO_REGS, MEM_RW, insn);
        break;
    }
    case CONDITIONAL_STORE:
    case ANY_ACCESSES:
        qemu_plugin_register_vcpu_insn_exec_cb(handle, following ? on_open_in : on_open, CB_NO_REGS, insn);
        qemu_plugin_register_vcpu_mem_cb(handle, on_open_access, CB_NO_REGS, MEM_RW, insn);
        break;
    }
}

/* The program's own addresses are known only once it is loaded. */
static void on_start(void)
{
    state->bias = qemu_plugin_start_code() - linked_code;
    for (size_t i = 0; i < n_ranges; i++) {
        ranges[i].low += state->bias;
        ranges[i].high += state->bias;
    }
    state->phase = STARTED;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    if (stopped)
        return;
    bool following = n_ranges > 0 && !inside_only;
    pthread_mutex_lock(&texts_lock);
    if (state->phase < STARTED)
        on_start();
    for (size_t i = 0, n = qemu_plugin_tb_n_insns(tb); i < n; i++) {
        struct qemu_plugin_insn *handle = qemu_plugin_tb_get_insn(tb, i);
        uint64_t pc = qemu_plugin_insn_vaddr(handle);
        if (inside_only && !in_ranges(pc))
            continue;
        size_t size = qemu_plugin_insn_size(handle);
        uint32_t word = 0;
        if (api_version >= 3)
            insn_data.copy(handle, &word, size < sizeof word ? size : sizeof word);
        else
            memcpy(&word, insn_data.get(handle), size < sizeof word ? size : sizeof word);
        uint8_t flow = following ? flow_of(word) | (i == 0 ? BLOCK_START : 0) | (is_entry(pc) ? ENTRY : 0) : 0;
        instrument(handle, find_insn(pc, word, size, flow, handle), following);
    }
    pthread_mutex_unlock(&texts_lock);
}

static void on_new_hart(qemu_plugin_id_t id, unsigned int index)
{
    (void)id;
    struct hart *hart = index < MAX_HARTS ? harts[index] : NULL;
    if (index > 0)
        several_harts = true;
    if (!hart) {
        new_hart(index);
        return;
    }
    if (hart->open)
        close_line(hart);
    hart->n_calls = hart->base = 0;
    hart->active = hart->returning = false;
    name_hart(hart);
}

static void on_exit_of_program(qemu_plugin_id_t id, void *data)
{
    (void)id, (void)data;
    if (stopped)
        return;
    for (unsigned int i = 0; i < MAX_HARTS; i++)
        if (harts[i] && harts[i]->open)
            close_line(harts[i]);
    if (native)
        write_chunk();
    else
        flush();
    if (state->phase < ENDED)
        state->phase = ENDED;
}

static void on_fork_in_child(void)
{
    stopped = true;
    close(out_fd);
}

/* ---- Setting up ---- */

/* Programs close descriptors that are not theirs, some up to their limit: ours goes above it. Where the limit
 * cannot be raised for a moment, the program gets a slightly lower one. */
static int move_away(int fd)
{
    struct rlimit files, raised, kept;
    int high = -1;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur >= 256) {
        rlim_t room = 32, most = 1 << 20;
        raised = kept = files;
        if (files.rlim_cur > most || files.rlim_max - files.rlim_cur < room) {
            raised.rlim_cur = files.rlim_cur < most ? files.rlim_cur : most;
            kept.rlim_cur = raised.rlim_cur - room;
        } else {
            raised.rlim_cur = files.rlim_cur + room;
        }
        setrlimit(RLIMIT_NOFILE, &raised);
        high = fcntl(fd, F_DUPFD_CLOEXEC, (int)kept.rlim_cur);
        setrlimit(RLIMIT_NOFILE, high < 0 ? &files : &kept);
    }
    if (high < 0)
        return fcntl(fd, F_SETFD, FD_CLOEXEC), fd;
    close(fd);
    return high;
}

static int refuse(const char *what)
{
    fprintf(stderr, "loopsheet tracer: %s\n", what);
    return -1;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    int state_fd = -1;
    /* Nobody reads the trace of a program whose recorder was killed. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    api_version = info->version.cur;
    ranges = calloc(argc, sizeof *ranges);
    if (!ranges)
        return refuse("no memory");
    for (int i = 0; i < argc; i++) {
        char *value = strchr(argv[i], '='), *end;
        if (!value)
            return refuse("an argument has no value");
        size_t key = value++ - argv[i];
        if (!strncmp(argv[i], "out", key))
            out_fd = atoi(value);
        else if (!strncmp(argv[i], "state", key))
            state_fd = atoi(value);
        else if (!strncmp(argv[i], "native", key))
            native = true;
        else if (!strncmp(argv[i], "limit", key))
            limit = strtoull(value, NULL, 0);
        else if (!strncmp(argv[i], "code", key))
            linked_code = strtoull(value, NULL, 0);
        else if (!strncmp(argv[i], "inside", key))
            inside_only = true;
        else if (!strncmp(argv[i], "function", key)) {
            ranges[n_ranges].low = strtoull(value, &end, 0);
            ranges[n_ranges++].high = strtoull(end + 1, NULL, 0);
        } else
            return refuse("an argument is not known");
    }
    if (info->system_emulation || strcmp(info->target_name, "riscv64"))
        return refuse("it records 64-bit RISC-V programs in user mode only");
    size_t room = STATE_BYTES + BUFFER_BYTES + CONTROL_BYTES + ADDRESSES_BYTES;
    void *shared = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, state_fd, 0);
    if (shared == MAP_FAILED)
        return refuse("the shared memory cannot be mapped");
    close(state_fd);
    state = shared;
    buffer = (char *)shared + STATE_BYTES;
    control = (uint8_t *)buffer + BUFFER_BYTES;
    addresses = control + CONTROL_BYTES;
    out_fd = move_away(out_fd);
    fcntl(out_fd, F_SETPIPE_SZ, BUFFER_BYTES); /* fewer switches between writer and reader, where it is a pipe */
    pthread_atfork(NULL, NULL, on_fork_in_child);
    state->phase = LOADED;
    qemu_plugin_register_vcpu_init_cb(id, on_new_hart);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
    return 0;
}
