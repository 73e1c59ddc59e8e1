//! Following what is foreseen: execution continues as it did last time, block by block where blocks are known.

use super::read::{BATCH, NONE, Plain, Plan, State};
use super::stream::{Stream, stepped};
use crate::error::{LineError, RecordError};

impl State<'_> {
    /// Takes executions that are what followed last time; `false` if nobody wants more.
    pub(super) fn foreseen(
        &mut self,
        run: u64,
        addresses: &mut Stream<'_>,
    ) -> Result<bool, LineError> {
        let mut left = run;
        while left > 0 {
            let room = (BATCH - self.batch.len().min(BATCH)) as u64;
            let now = left.min(room);
            self.follow(now, addresses)?;
            left -= now;
            if self.batch.len() >= BATCH && !self.batch.hand_over(self.sink) {
                return Ok(false);
            }
        }
        Ok(self.batch.len() < BATCH || self.batch.hand_over(self.sink))
    }

    fn follow(&mut self, run: u64, addresses: &mut Stream<'_>) -> Result<(), LineError> {
        let mut left = run;
        while left > 0 {
            let blocks = self.follow_blocks(left, addresses)?;
            left -= blocks;
            if left > 0 {
                self.follow_one(addresses)?;
                left -= 1;
            }
        }
        Ok(())
    }

    /// Takes whole blocks of at most so many executions, as long as they are foreseen; how many executions these were.
    #[inline(always)]
    fn follow_blocks(&mut self, most: u64, addresses: &mut Stream<'_>) -> Result<u64, LineError> {
        let mut left = most;
        while let Some(block) = self.foreseen_block() {
            let plan = &self.plans[block as usize];
            if u64::from(plan.length) > left {
                break;
            }
            let hart = &mut self.harts[self.hart].1;
            for (place, number) in plan.addressed.iter().enumerate() {
                let slot = &mut hart.slots[*number as usize];
                match addresses.number() {
                    Ok(step) => slot.address = stepped(slot.address, step),
                    Err(error) => {
                        let before = self.batch.block(block).instructions();
                        let mut addressed = before.enumerate().filter(|(_, (_, has))| *has);
                        let before = addressed.nth(place).map_or(0, |(before, _)| before);
                        self.instructions += before as u64;
                        return Err(error.into());
                    }
                }
                self.batch.addresses.push(slot.address);
            }
            hart.last = plan.last;
            self.batch.push_block(block, plan.length as usize);
            self.instructions += u64::from(plan.length);
            left -= u64::from(plan.length);
        }
        Ok(most - left)
    }

    /// The block that is foreseen, where one begins whose instructions are all foreseen one after another.
    #[inline(always)]
    fn foreseen_block(&mut self) -> Option<u32> {
        let hart = &self.harts[self.hart].1;
        let next = hart.slots.get(hart.last as usize)?.follower;
        let id = hart.slots.get(next as usize)?.id;
        let block = self.batch.block_of(id)?;
        let is_seen = (self.plans.get(block as usize)).is_some_and(|own| own.seen == self.changes);
        (is_seen || self.plan(block, next)).then_some(block)
    }

    /// Looks whether the instructions of a block are foreseen one after another from that slot on.
    #[inline(never)]
    fn plan(&mut self, block: u32, first: u32) -> bool {
        let slots = &self.harts[self.hart].1.slots;
        let (mut addressed, mut last) = (Vec::new(), NONE);
        let instructions = self.batch.block(block).instructions();
        let length = instructions.len() as u32;
        let mut next = first;
        for (instruction, has_address) in instructions {
            let plain = match has_address {
                true => Plain::OneAddress,
                false => Plain::NoAddress,
            };
            match slots.get(next as usize) {
                Some(slot) if slot.id == instruction.0 && slot.plain == plain => {
                    (last, next) = (next, slot.follower);
                }
                _ => return false,
            }
            if has_address {
                addressed.push(last);
            }
        }
        if self.plans.len() <= block as usize {
            self.plans.resize(block as usize + 1, Plan::default());
        }
        self.plans[block as usize] = Plan {
            addressed: addressed.into(),
            last,
            length,
            seen: self.changes,
        };
        true
    }

    /// Takes one execution that is what followed last time.
    #[inline(always)]
    fn follow_one(&mut self, addresses: &mut Stream<'_>) -> Result<(), LineError> {
        let none = || RecordError::Chunk("an instruction is predicted where nothing predicts one");
        let hart = &mut self.harts[self.hart].1;
        let last = hart.slots.get(hart.last as usize);
        let next = last.ok_or_else(none)?.follower;
        let slot = hart.slots.get_mut(next as usize).ok_or_else(none)?;
        let count = match slot.plain {
            Plain::NoAddress => 0,
            Plain::OneAddress => {
                slot.address = stepped(slot.address, addresses.number()?);
                self.batch.addresses.push(slot.address);
                1
            }
            Plain::Checked => return self.checked(next, addresses),
        };
        hart.last = next;
        self.batch.push(slot.id, count);
        self.instructions += 1;
        Ok(())
    }
}
