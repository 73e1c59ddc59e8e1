! Heat in a cube: what samples/changes/new makes of it is the example of the guide (topic diff).
module sizes
  integer, parameter :: n = 110
end module sizes

subroutine step(u, v)
  use sizes
  real(8), intent(in) :: u(n, n, n)
  real(8), intent(out) :: v(n, n, n)
  integer :: i, j, k

  do k = 3, n - 2
    do j = 3, n - 2
      do i = 3, n - 2
        v(i, j, k) = u(i, j, k) + 0.1d0 * (u(i, j, k - 1) - 2 * u(i, j, k) + u(i, j, k + 1))
      end do
    end do
  end do
end subroutine step

subroutine scale(u, factor)
  use sizes
  real(8), intent(inout) :: u(n, n)
  real(8), intent(in) :: factor
  integer :: i, j

  do j = 1, n
    do i = 1, n
      u(i, j) = factor * u(i, j)
    end do
  end do
end subroutine scale

subroutine energy(u, total)
  use sizes
  real(8), intent(in) :: u(n, n, n)
  real(8), intent(out) :: total
  integer :: i, j, k

  total = 0
  do k = 1, n
    do j = 1, n
      do i = 1, n
        total = total + u(i, j, k) * u(i, j, k)
      end do
    end do
  end do
end subroutine energy

subroutine clear(u)
  use sizes
  real(8), intent(out) :: u(n)
  integer :: i

  do i = 1, n
    u(i) = 0
  end do
end subroutine clear
