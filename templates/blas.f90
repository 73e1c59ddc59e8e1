! What the procedures of the BLAS, and the helpers that LAPACK keeps in INSTALL, compute: written from their
! interface, for programs that call them and whose sources do not have them. The loops go over a matrix
! column by column, as the reference implementation does; where `uplo`, `trans` or `diag` choose among variants
! with the same operations on as many elements, one of them stands for all. Vectors are taken to lie without gaps, as
! with an increment of one.
!
! A block begins with `!@` and the procedure's names for real(4), real(8), complex(4), complex(8) (`-`: there is none).
! @name is that name, @type that type, @real the real type of the same precision.

!@ srotg drotg - -
subroutine @name(a, b, c, s)
  @type :: a, b, c, s, r
  r = sqrt(a*a + b*b)
  c = a / r
  s = b / r
  a = r
end subroutine

!@ - - crotg zrotg
subroutine @name(a, b, c, s)
  @type :: a, b, s
  @real :: c, r
  r = sqrt(abs(a)**2 + abs(b)**2)
  c = abs(a) / r
  s = a * conjg(b) / (abs(a) * r)
  a = a * r / abs(a)
end subroutine

!@ srotmg drotmg - -
subroutine @name(d1, d2, x1, y1, param)
  @type :: d1, d2, x1, y1, param(5), p1, p2, u
  p2 = d2 * y1
  p1 = d1 * x1
  param(3) = -y1 / x1
  param(4) = p2 / p1
  u = 1 - param(4) * param(3)
  d1 = d1 / u
  d2 = d2 / u
  x1 = x1 * u
end subroutine

!@ srot drot - -
subroutine @name(n, x, incx, y, incy, c, s)
  integer :: n, incx, incy, i
  @type :: x(*), y(*), c, s, old
  do i = 1, n
    old = c * x(i) + s * y(i)
    y(i) = c * y(i) - s * x(i)
    x(i) = old
  end do
end subroutine

!@ - - csrot zdrot
subroutine @name(n, x, incx, y, incy, c, s)
  integer :: n, incx, incy, i
  @type :: x(*), y(*), old
  @real :: c, s
  do i = 1, n
    old = c * x(i) + s * y(i)
    y(i) = c * y(i) - s * x(i)
    x(i) = old
  end do
end subroutine

!@ srotm drotm - -
subroutine @name(n, x, incx, y, incy, param)
  integer :: n, incx, incy, i
  @type :: x(*), y(*), param(5), h11, h12, h21, h22, old
  h11 = param(2)
  h21 = param(3)
  h12 = param(4)
  h22 = param(5)
  do i = 1, n
    old = h11 * x(i) + h12 * y(i)
    y(i) = h21 * x(i) + h22 * y(i)
    x(i) = old
  end do
end subroutine

!@ sswap dswap cswap zswap
subroutine @name(n, x, incx, y, incy)
  integer :: n, incx, incy, i
  @type :: x(*), y(*), old
  do i = 1, n
    old = x(i)
    x(i) = y(i)
    y(i) = old
  end do
end subroutine

!@ sscal dscal cscal zscal
subroutine @name(n, alpha, x, incx)
  integer :: n, incx, i
  @type :: alpha, x(*)
  do i = 1, n
    x(i) = alpha * x(i)
  end do
end subroutine

!@ - - csscal zdscal
subroutine @name(n, alpha, x, incx)
  integer :: n, incx, i
  @real :: alpha
  @type :: x(*)
  do i = 1, n
    x(i) = alpha * x(i)
  end do
end subroutine

!@ scopy dcopy ccopy zcopy
subroutine @name(n, x, incx, y, incy)
  integer :: n, incx, incy, i
  @type :: x(*), y(*)
  do i = 1, n
    y(i) = x(i)
  end do
end subroutine

!@ saxpy daxpy caxpy zaxpy
subroutine @name(n, alpha, x, incx, y, incy)
  integer :: n, incx, incy, i
  @type :: alpha, x(*), y(*)
  do i = 1, n
    y(i) = y(i) + alpha * x(i)
  end do
end subroutine

!@ sdot ddot cdotu zdotu
function @name(n, x, incx, y, incy) result(total)
  integer :: n, incx, incy, i
  @type :: x(*), y(*), total
  total = 0
  do i = 1, n
    total = total + x(i) * y(i)
  end do
end function

!@ - - cdotc zdotc
function @name(n, x, incx, y, incy) result(total)
  integer :: n, incx, incy, i
  @type :: x(*), y(*), total
  total = 0
  do i = 1, n
    total = total + conjg(x(i)) * y(i)
  end do
end function

!@ - dsdot - -
function @name(n, x, incx, y, incy) result(total)
  integer :: n, incx, incy, i
  real(4) :: x(*), y(*)
  real(8) :: total
  total = 0
  do i = 1, n
    total = total + dble(x(i)) * dble(y(i))
  end do
end function

!@ sdsdot - - -
function @name(n, b, x, incx, y, incy) result(total)
  integer :: n, incx, incy, i
  real(4) :: b, x(*), y(*), total
  real(8) :: wide
  wide = b
  do i = 1, n
    wide = wide + dble(x(i)) * dble(y(i))
  end do
  total = real(wide)
end function

!@ snrm2 dnrm2 - -
function @name(n, x, incx) result(norm)
  integer :: n, incx, i
  @type :: x(*), norm
  norm = 0
  do i = 1, n
    norm = norm + x(i) * x(i)
  end do
  norm = sqrt(norm)
end function

!@ - - scnrm2 dznrm2
function @name(n, x, incx) result(norm)
  integer :: n, incx, i
  @type :: x(*)
  @real :: norm
  norm = 0
  do i = 1, n
    norm = norm + real(x(i)) * real(x(i)) + aimag(x(i)) * aimag(x(i))
  end do
  norm = sqrt(norm)
end function

!@ sasum dasum - -
function @name(n, x, incx) result(total)
  integer :: n, incx, i
  @type :: x(*), total
  total = 0
  do i = 1, n
    total = total + abs(x(i))
  end do
end function

!@ - - scasum dzasum
function @name(n, x, incx) result(total)
  integer :: n, incx, i
  @type :: x(*)
  @real :: total
  total = 0
  do i = 1, n
    total = total + (abs(real(x(i))) + abs(aimag(x(i))))
  end do
end function

!@ isamax idamax - -
function @name(n, x, incx) result(place)
  integer :: n, incx, i, place
  @type :: x(*), largest
  place = 1
  largest = abs(x(1))
  do i = 2, n
    if (abs(x(i)) > largest) then
      place = i
      largest = abs(x(i))
    end if
  end do
end function

!@ - - icamax izamax
function @name(n, x, incx) result(place)
  integer :: n, incx, i, place
  @type :: x(*)
  @real :: largest, size1
  place = 1
  largest = abs(real(x(1))) + abs(aimag(x(1)))
  do i = 2, n
    size1 = abs(real(x(i))) + abs(aimag(x(i)))
    if (size1 > largest) then
      place = i
      largest = size1
    end if
  end do
end function

!@ - - scabs1 dcabs1
function @name(z) result(size1)
  @type :: z
  @real :: size1
  size1 = abs(real(z)) + abs(aimag(z))
end function

!@ sgemv dgemv cgemv zgemv
subroutine @name(trans, m, n, alpha, a, lda, x, incx, beta, y, incy)
  character :: trans
  integer :: m, n, lda, incx, incy, i, j
  @type :: alpha, a(lda, *), x(*), beta, y(*), factor
  if (trans == 'N' .or. trans == 'n') then
    do i = 1, m
      y(i) = beta * y(i)
    end do
    do j = 1, n
      factor = alpha * x(j)
      do i = 1, m
        y(i) = y(i) + factor * a(i, j)
      end do
    end do
  else
    do j = 1, n
      factor = 0
      do i = 1, m
        factor = factor + a(i, j) * x(i)
      end do
      y(j) = beta * y(j) + alpha * factor
    end do
  end if
end subroutine

!@ sgbmv dgbmv cgbmv zgbmv
subroutine @name(trans, m, n, kl, ku, alpha, a, lda, x, incx, beta, y, incy)
  character :: trans
  integer :: m, n, kl, ku, lda, incx, incy, i, j
  @type :: alpha, a(lda, *), x(*), beta, y(*), factor
  do i = 1, m
    y(i) = beta * y(i)
  end do
  do j = 1, n
    factor = alpha * x(j)
    do i = 1, kl + ku + 1
      y(j + i - 1) = y(j + i - 1) + factor * a(i, j)
    end do
  end do
end subroutine

!@ ssymv dsymv chemv zhemv
subroutine @name(uplo, n, alpha, a, lda, x, incx, beta, y, incy)
  character :: uplo
  integer :: n, lda, incx, incy, i, j
  @type :: alpha, a(lda, *), x(*), beta, y(*), factor, total
  do i = 1, n
    y(i) = beta * y(i)
  end do
  do j = 1, n
    factor = alpha * x(j)
    total = 0
    do i = 1, j - 1
      y(i) = y(i) + factor * a(i, j)
      total = total + a(i, j) * x(i)
    end do
    y(j) = y(j) + factor * a(j, j) + alpha * total
  end do
end subroutine

!@ ssbmv dsbmv chbmv zhbmv
subroutine @name(uplo, n, k, alpha, a, lda, x, incx, beta, y, incy)
  character :: uplo
  integer :: n, k, lda, incx, incy, i, j
  @type :: alpha, a(lda, *), x(*), beta, y(*), factor, total
  do i = 1, n
    y(i) = beta * y(i)
  end do
  do j = 1, n
    factor = alpha * x(j)
    total = 0
    y(j) = y(j) + factor * a(1, j)
    do i = 1, k
      y(j + i) = y(j + i) + factor * a(1 + i, j)
      total = total + a(1 + i, j) * x(j + i)
    end do
    y(j) = y(j) + alpha * total
  end do
end subroutine

!@ sspmv dspmv chpmv zhpmv
subroutine @name(uplo, n, alpha, ap, x, incx, beta, y, incy)
  character :: uplo
  integer :: n, incx, incy, i, j, k
  @type :: alpha, ap(*), x(*), beta, y(*), factor, total
  do i = 1, n
    y(i) = beta * y(i)
  end do
  k = 1
  do j = 1, n
    factor = alpha * x(j)
    total = 0
    do i = 1, j - 1
      y(i) = y(i) + factor * ap(k)
      total = total + ap(k) * x(i)
      k = k + 1
    end do
    y(j) = y(j) + factor * ap(k) + alpha * total
    k = k + 1
  end do
end subroutine

!@ strmv dtrmv ctrmv ztrmv
subroutine @name(uplo, trans, diag, n, a, lda, x, incx)
  character :: uplo, trans, diag
  integer :: n, lda, incx, i, j
  @type :: a(lda, *), x(*)
  do j = 1, n
    do i = 1, j - 1
      x(i) = x(i) + x(j) * a(i, j)
    end do
    x(j) = x(j) * a(j, j)
  end do
end subroutine

!@ stbmv dtbmv ctbmv ztbmv
subroutine @name(uplo, trans, diag, n, k, a, lda, x, incx)
  character :: uplo, trans, diag
  integer :: n, k, lda, incx, i, j
  @type :: a(lda, *), x(*)
  do j = n, 1, -1
    do i = 1, k
      x(j + i) = x(j + i) + x(j) * a(1 + i, j)
    end do
    x(j) = x(j) * a(1, j)
  end do
end subroutine

!@ stpmv dtpmv ctpmv ztpmv
subroutine @name(uplo, trans, diag, n, ap, x, incx)
  character :: uplo, trans, diag
  integer :: n, incx, i, j, k
  @type :: ap(*), x(*)
  k = 1
  do j = 1, n
    do i = 1, j - 1
      x(i) = x(i) + x(j) * ap(k)
      k = k + 1
    end do
    x(j) = x(j) * ap(k)
    k = k + 1
  end do
end subroutine

!@ strsv dtrsv ctrsv ztrsv
subroutine @name(uplo, trans, diag, n, a, lda, x, incx)
  character :: uplo, trans, diag
  integer :: n, lda, incx, i, j
  @type :: a(lda, *), x(*)
  do j = n, 1, -1
    x(j) = x(j) / a(j, j)
    do i = 1, j - 1
      x(i) = x(i) - x(j) * a(i, j)
    end do
  end do
end subroutine

!@ stbsv dtbsv ctbsv ztbsv
subroutine @name(uplo, trans, diag, n, k, a, lda, x, incx)
  character :: uplo, trans, diag
  integer :: n, k, lda, incx, i, j
  @type :: a(lda, *), x(*)
  do j = 1, n
    x(j) = x(j) / a(1, j)
    do i = 1, k
      x(j + i) = x(j + i) - x(j) * a(1 + i, j)
    end do
  end do
end subroutine

!@ stpsv dtpsv ctpsv ztpsv
subroutine @name(uplo, trans, diag, n, ap, x, incx)
  character :: uplo, trans, diag
  integer :: n, incx, i, j, k
  @type :: ap(*), x(*)
  k = 1
  do j = 1, n
    x(j) = x(j) / ap(k)
    k = k + 1
    do i = j + 1, n
      x(i) = x(i) - x(j) * ap(k)
      k = k + 1
    end do
  end do
end subroutine

!@ sger dger cgeru zgeru
subroutine @name(m, n, alpha, x, incx, y, incy, a, lda)
  integer :: m, n, incx, incy, lda, i, j
  @type :: alpha, x(*), y(*), a(lda, *), factor
  do j = 1, n
    factor = alpha * y(j)
    do i = 1, m
      a(i, j) = a(i, j) + x(i) * factor
    end do
  end do
end subroutine

!@ - - cgerc zgerc
subroutine @name(m, n, alpha, x, incx, y, incy, a, lda)
  integer :: m, n, incx, incy, lda, i, j
  @type :: alpha, x(*), y(*), a(lda, *), factor
  do j = 1, n
    factor = alpha * conjg(y(j))
    do i = 1, m
      a(i, j) = a(i, j) + x(i) * factor
    end do
  end do
end subroutine

!@ ssyr dsyr - -
subroutine @name(uplo, n, alpha, x, incx, a, lda)
  character :: uplo
  integer :: n, incx, lda, i, j
  @type :: alpha, x(*), a(lda, *), factor
  do j = 1, n
    factor = alpha * x(j)
    do i = 1, j
      a(i, j) = a(i, j) + x(i) * factor
    end do
  end do
end subroutine

!@ - - cher zher
subroutine @name(uplo, n, alpha, x, incx, a, lda)
  character :: uplo
  integer :: n, incx, lda, i, j
  @real :: alpha
  @type :: x(*), a(lda, *), factor
  do j = 1, n
    factor = alpha * conjg(x(j))
    do i = 1, j
      a(i, j) = a(i, j) + x(i) * factor
    end do
  end do
end subroutine

!@ sspr dspr - -
subroutine @name(uplo, n, alpha, x, incx, ap)
  character :: uplo
  integer :: n, incx, i, j, k
  @type :: alpha, x(*), ap(*), factor
  k = 1
  do j = 1, n
    factor = alpha * x(j)
    do i = 1, j
      ap(k) = ap(k) + x(i) * factor
      k = k + 1
    end do
  end do
end subroutine

!@ - - chpr zhpr
subroutine @name(uplo, n, alpha, x, incx, ap)
  character :: uplo
  integer :: n, incx, i, j, k
  @real :: alpha
  @type :: x(*), ap(*), factor
  k = 1
  do j = 1, n
    factor = alpha * conjg(x(j))
    do i = 1, j
      ap(k) = ap(k) + x(i) * factor
      k = k + 1
    end do
  end do
end subroutine

!@ ssyr2 dsyr2 cher2 zher2
subroutine @name(uplo, n, alpha, x, incx, y, incy, a, lda)
  character :: uplo
  integer :: n, incx, incy, lda, i, j
  @type :: alpha, x(*), y(*), a(lda, *), first, second
  do j = 1, n
    first = alpha * y(j)
    second = alpha * x(j)
    do i = 1, j
      a(i, j) = a(i, j) + x(i) * first + y(i) * second
    end do
  end do
end subroutine

!@ sspr2 dspr2 chpr2 zhpr2
subroutine @name(uplo, n, alpha, x, incx, y, incy, ap)
  character :: uplo
  integer :: n, incx, incy, i, j, k
  @type :: alpha, x(*), y(*), ap(*), first, second
  k = 1
  do j = 1, n
    first = alpha * y(j)
    second = alpha * x(j)
    do i = 1, j
      ap(k) = ap(k) + x(i) * first + y(i) * second
      k = k + 1
    end do
  end do
end subroutine

!@ sgemm dgemm cgemm zgemm
subroutine @name(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
  character :: transa, transb
  integer :: m, n, k, lda, ldb, ldc, i, j, l
  @type :: alpha, a(lda, *), b(ldb, *), beta, c(ldc, *), factor
  do j = 1, n
    do i = 1, m
      c(i, j) = beta * c(i, j)
    end do
    do l = 1, k
      factor = alpha * b(l, j)
      do i = 1, m
        c(i, j) = c(i, j) + factor * a(i, l)
      end do
    end do
  end do
end subroutine

!@ sgemmtr dgemmtr cgemmtr zgemmtr
subroutine @name(uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
  character :: uplo, transa, transb
  integer :: n, k, lda, ldb, ldc, i, j, l
  @type :: alpha, a(lda, *), b(ldb, *), beta, c(ldc, *), factor
  do j = 1, n
    do i = 1, j
      c(i, j) = beta * c(i, j)
    end do
    do l = 1, k
      factor = alpha * b(l, j)
      do i = 1, j
        c(i, j) = c(i, j) + factor * a(i, l)
      end do
    end do
  end do
end subroutine

!@ ssymm dsymm csymm zsymm
!@ - - chemm zhemm
subroutine @name(side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
  character :: side, uplo
  integer :: m, n, lda, ldb, ldc, i, j, k
  @type :: alpha, a(lda, *), b(ldb, *), beta, c(ldc, *), factor, total
  if (side == 'L' .or. side == 'l') then
    do j = 1, n
      do i = 1, m
        factor = alpha * b(i, j)
        total = 0
        do k = 1, i - 1
          c(k, j) = c(k, j) + factor * a(k, i)
          total = total + b(k, j) * a(k, i)
        end do
        c(i, j) = beta * c(i, j) + factor * a(i, i) + alpha * total
      end do
    end do
  else
    do j = 1, n
      do i = 1, m
        c(i, j) = beta * c(i, j)
      end do
      do k = 1, n
        factor = alpha * a(k, j)
        do i = 1, m
          c(i, j) = c(i, j) + factor * b(i, k)
        end do
      end do
    end do
  end if
end subroutine

!@ ssyrk dsyrk csyrk zsyrk
subroutine @name(uplo, trans, n, k, alpha, a, lda, beta, c, ldc)
  character :: uplo, trans
  integer :: n, k, lda, ldc, i, j, l
  @type :: alpha, a(lda, *), beta, c(ldc, *), factor
  do j = 1, n
    do i = 1, j
      c(i, j) = beta * c(i, j)
    end do
    do l = 1, k
      factor = alpha * a(j, l)
      do i = 1, j
        c(i, j) = c(i, j) + factor * a(i, l)
      end do
    end do
  end do
end subroutine

!@ - - cherk zherk
subroutine @name(uplo, trans, n, k, alpha, a, lda, beta, c, ldc)
  character :: uplo, trans
  integer :: n, k, lda, ldc, i, j, l
  @real :: alpha, beta
  @type :: a(lda, *), c(ldc, *), factor
  do j = 1, n
    do i = 1, j
      c(i, j) = beta * c(i, j)
    end do
    do l = 1, k
      factor = alpha * conjg(a(j, l))
      do i = 1, j
        c(i, j) = c(i, j) + factor * a(i, l)
      end do
    end do
  end do
end subroutine

!@ ssyr2k dsyr2k csyr2k zsyr2k
subroutine @name(uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
  character :: uplo, trans
  integer :: n, k, lda, ldb, ldc, i, j, l
  @type :: alpha, a(lda, *), b(ldb, *), beta, c(ldc, *), first, second
  do j = 1, n
    do i = 1, j
      c(i, j) = beta * c(i, j)
    end do
    do l = 1, k
      first = alpha * b(j, l)
      second = alpha * a(j, l)
      do i = 1, j
        c(i, j) = c(i, j) + a(i, l) * first + b(i, l) * second
      end do
    end do
  end do
end subroutine

!@ - - cher2k zher2k
subroutine @name(uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
  character :: uplo, trans
  integer :: n, k, lda, ldb, ldc, i, j, l
  @real :: beta
  @type :: alpha, a(lda, *), b(ldb, *), c(ldc, *), first, second
  do j = 1, n
    do i = 1, j
      c(i, j) = beta * c(i, j)
    end do
    do l = 1, k
      first = alpha * conjg(b(j, l))
      second = conjg(alpha * a(j, l))
      do i = 1, j
        c(i, j) = c(i, j) + a(i, l) * first + b(i, l) * second
      end do
    end do
  end do
end subroutine

!@ strmm dtrmm ctrmm ztrmm
subroutine @name(side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb)
  character :: side, uplo, transa, diag
  integer :: m, n, lda, ldb, i, j, k
  @type :: alpha, a(lda, *), b(ldb, *), factor
  if (side == 'L' .or. side == 'l') then
    do j = 1, n
      do k = 1, m
        factor = alpha * b(k, j)
        do i = 1, k - 1
          b(i, j) = b(i, j) + factor * a(i, k)
        end do
        b(k, j) = factor * a(k, k)
      end do
    end do
  else
    do j = n, 1, -1
      do i = 1, m
        b(i, j) = alpha * a(j, j) * b(i, j)
      end do
      do k = 1, j - 1
        factor = alpha * a(k, j)
        do i = 1, m
          b(i, j) = b(i, j) + factor * b(i, k)
        end do
      end do
    end do
  end if
end subroutine

!@ strsm dtrsm ctrsm ztrsm
subroutine @name(side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb)
  character :: side, uplo, transa, diag
  integer :: m, n, lda, ldb, i, j, k
  @type :: alpha, a(lda, *), b(ldb, *), factor
  if (side == 'L' .or. side == 'l') then
    do j = 1, n
      do i = 1, m
        b(i, j) = alpha * b(i, j)
      end do
      do k = m, 1, -1
        b(k, j) = b(k, j) / a(k, k)
        do i = 1, k - 1
          b(i, j) = b(i, j) - b(k, j) * a(i, k)
        end do
      end do
    end do
  else
    do j = 1, n
      do i = 1, m
        b(i, j) = alpha * b(i, j)
      end do
      do k = 1, j - 1
        do i = 1, m
          b(i, j) = b(i, j) - a(k, j) * b(i, k)
        end do
      end do
      factor = 1 / a(j, j)
      do i = 1, m
        b(i, j) = factor * b(i, j)
      end do
    end do
  end if
end subroutine

!@ lsame - - -
function @name(ca, cb) result(same)
  character :: ca, cb
  logical :: same
  same = ca == cb
end function

!@ slamch dlamch - -
function @name(cmach) result(value)
  character :: cmach
  @type :: value
  value = epsilon(value)
end function

!@ slamc3 dlamc3 - -
function @name(a, b) result(total)
  @type :: a, b, total
  total = a + b
end function

!@ second dsecnd - -
function @name() result(time)
  @type :: time
  time = 0
end function

!@ sroundup_lwork droundup_lwork - -
function @name(lwork) result(rounded)
  integer :: lwork
  @type :: rounded
  rounded = lwork
end function

!@ xerbla - - -
subroutine @name(srname, info)
  character(*) :: srname
  integer :: info
end subroutine
