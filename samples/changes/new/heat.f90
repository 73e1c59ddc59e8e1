! The same with a wider stencil, and with loops in another order.
module sizes
  integer, parameter :: n = 110
end module sizes

subroutine step(u, v)
  use sizes
  real(8), intent(in) :: u(n, n, n)
  real(8), intent(out) :: v(n, n, n)
  integer :: i, j, k

  ! The second neighbours count, too.
  do k = 3, n - 2
    do j = 3, n - 2
      do i = 3, n - 2
        v(i, j, k) = u(i, j, k) + 0.1d0 * (u(i, j, k - 1) - 2 * u(i, j, k) + u(i, j, k + 1)) &
          + 0.01d0 * (u(i, j, k - 2) + u(i, j, k + 2))
      end do
    end do
  end do
end subroutine step

subroutine scale(u, factor)
  use sizes
  real(8), intent(inout) :: u(n, n)
  real(8), intent(in) :: factor
  integer :: i, j

  do i = 1, n
    do j = 1, n
      u(i, j) = factor * u(i, j)
    end do
  end do
end subroutine scale

subroutine source(u, heat, place, count)
  use sizes
  real(8), intent(inout) :: u(n)
  integer, intent(in) :: count, place(count)
  real(8), intent(in) :: heat(count)
  integer :: p

  do p = 1, count
    u(place(p)) = u(place(p)) + heat(p)
  end do
end subroutine source
