! Seven-point Laplacian on a box with ghost cells, the smallest three-dimensional stencil.
subroutine laplace7(lo, hi, ng, u, lap, dxinv)
  implicit none
  integer, intent(in) :: lo(3), hi(3), ng
  double precision, intent(in) :: dxinv(3)
  double precision, intent(in) :: u(lo(1)-ng:hi(1)+ng, lo(2)-ng:hi(2)+ng, lo(3)-ng:hi(3)+ng)
  double precision, intent(out) :: lap(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3))
  integer :: i, j, k
  double precision :: cx, cy, cz

  cx = dxinv(1)**2
  cy = dxinv(2)**2
  cz = dxinv(3)**2

  !$omp parallel do private(i, j, k)
  do k = lo(3), hi(3)
     do j = lo(2), hi(2)
        do i = lo(1), hi(1)
           lap(i,j,k) = cx*(u(i+1,j,k) - 2.d0*u(i,j,k) + u(i-1,j,k)) &
                      + cy*(u(i,j+1,k) - 2.d0*u(i,j,k) + u(i,j-1,k)) &
                      + cz*(u(i,j,k+1) - 2.d0*u(i,j,k) + u(i,j,k-1))
        end do
     end do
  end do
end subroutine laplace7
