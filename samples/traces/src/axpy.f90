! y = y + a x over 1,000 numbers, in Fortran.
subroutine kernel(n, a, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a, x(n)
  real(8), intent(inout) :: y(n)
  integer :: i
  do i = 1, n
    y(i) = y(i) + a * x(i)
  end do
end subroutine kernel

program axpy
  implicit none
  real(8) :: x(1000), y(1000)
  x = 1
  y = 2
  call kernel(1000, 3d0, x, y)
  if (any(y /= 5)) error stop
end program axpy
