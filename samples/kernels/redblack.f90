! Red-black Gauss-Seidel: cells of one colour at a time, updated in place.
subroutine redblack(n, colour, h2, phi, rhs)
  implicit none
  integer, intent(in) :: n, colour
  double precision, intent(in) :: h2
  double precision, intent(inout) :: phi(0:n+1, 0:n+1, 0:n+1)
  double precision, intent(in) :: rhs(n, n, n)
  integer :: i, j, k, first
  double precision, parameter :: sixth = 1.d0/6.d0

  do k = 1, n
     do j = 1, n
        first = 1 + mod(k + j + colour, 2)
        do i = first, n, 2
           phi(i,j,k) = sixth*(phi(i-1,j,k) + phi(i+1,j,k) + phi(i,j-1,k) + phi(i,j+1,k) &
                             + phi(i,j,k-1) + phi(i,j,k+1) - h2*rhs(i,j,k))
        end do
     end do
  end do
end subroutine redblack
