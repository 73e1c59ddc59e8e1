! Eighth-order differences of a compressible flow: conserved variables in the last dimension of U,
! primitive ones in Q, as codes for combustion keep them.
module flow8_module
  implicit none
  integer, parameter :: irho = 1, imx = 2, imy = 3, imz = 4, iene = 5
  integer, parameter :: qu = 1, qv = 2, qw = 3, qpres = 4
  double precision, parameter :: alp = 0.8d0, bet = -0.2d0, gam = 4.d0/105.d0, del = -1.d0/280.d0

contains

  ! Flux differences along x.
  subroutine hyperbolic_x(lo, hi, ng, cons, q, flux, dxinv)
    integer, intent(in) :: lo(3), hi(3), ng
    double precision, intent(in) :: dxinv
    double precision, intent(in)  :: cons(lo(1)-ng:hi(1)+ng, lo(2)-ng:hi(2)+ng, lo(3)-ng:hi(3)+ng, 5)
    double precision, intent(in)  :: q(lo(1)-ng:hi(1)+ng, lo(2)-ng:hi(2)+ng, lo(3)-ng:hi(3)+ng, 4)
    double precision, intent(out) :: flux(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3), 5)
    integer :: i, j, k
    double precision :: unp1, unp2, unp3, unp4, unm1, unm2, unm3, unm4

    do k = lo(3), hi(3)
       do j = lo(2), hi(2)
          do i = lo(1), hi(1)
             unp1 = q(i+1,j,k,qu)
             unp2 = q(i+2,j,k,qu)
             unp3 = q(i+3,j,k,qu)
             unp4 = q(i+4,j,k,qu)
             unm1 = q(i-1,j,k,qu)
             unm2 = q(i-2,j,k,qu)
             unm3 = q(i-3,j,k,qu)
             unm4 = q(i-4,j,k,qu)

             flux(i,j,k,irho) = -(alp*(cons(i+1,j,k,imx) - cons(i-1,j,k,imx)) &
                                + bet*(cons(i+2,j,k,imx) - cons(i-2,j,k,imx)) &
                                + gam*(cons(i+3,j,k,imx) - cons(i-3,j,k,imx)) &
                                + del*(cons(i+4,j,k,imx) - cons(i-4,j,k,imx)))*dxinv

             flux(i,j,k,imx) = -(alp*(cons(i+1,j,k,imx)*unp1 - cons(i-1,j,k,imx)*unm1 &
                                      + (q(i+1,j,k,qpres) - q(i-1,j,k,qpres))) &
                               + bet*(cons(i+2,j,k,imx)*unp2 - cons(i-2,j,k,imx)*unm2 &
                                      + (q(i+2,j,k,qpres) - q(i-2,j,k,qpres))) &
                               + gam*(cons(i+3,j,k,imx)*unp3 - cons(i-3,j,k,imx)*unm3 &
                                      + (q(i+3,j,k,qpres) - q(i-3,j,k,qpres))) &
                               + del*(cons(i+4,j,k,imx)*unp4 - cons(i-4,j,k,imx)*unm4 &
                                      + (q(i+4,j,k,qpres) - q(i-4,j,k,qpres))))*dxinv

             flux(i,j,k,imy) = -(alp*(cons(i+1,j,k,imy)*unp1 - cons(i-1,j,k,imy)*unm1) &
                               + bet*(cons(i+2,j,k,imy)*unp2 - cons(i-2,j,k,imy)*unm2) &
                               + gam*(cons(i+3,j,k,imy)*unp3 - cons(i-3,j,k,imy)*unm3) &
                               + del*(cons(i+4,j,k,imy)*unp4 - cons(i-4,j,k,imy)*unm4))*dxinv
          end do
       end do
    end do
  end subroutine hyperbolic_x

  ! Diffusion of one velocity component along all three directions.
  subroutine diffusion(lo, hi, ng, q, eta, flux, dxinv)
    integer, intent(in) :: lo(3), hi(3), ng
    double precision, intent(in) :: eta, dxinv(3)
    double precision, intent(in)    :: q(lo(1)-ng:hi(1)+ng, lo(2)-ng:hi(2)+ng, lo(3)-ng:hi(3)+ng, 4)
    double precision, intent(inout) :: flux(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3), 5)
    double precision, parameter :: cen = -205.d0/72.d0, o1 = 1.6d0, o2 = -0.2d0, o3 = 8.d0/315.d0, o4 = -1.d0/560.d0
    integer :: i, j, k
    double precision :: uxx, uyy, uzz

    do k = lo(3), hi(3)
       do j = lo(2), hi(2)
          do i = lo(1), hi(1)
             uxx = (cen*q(i,j,k,qu) + o1*(q(i+1,j,k,qu) + q(i-1,j,k,qu)) &
                                    + o2*(q(i+2,j,k,qu) + q(i-2,j,k,qu)) &
                                    + o3*(q(i+3,j,k,qu) + q(i-3,j,k,qu)) &
                                    + o4*(q(i+4,j,k,qu) + q(i-4,j,k,qu)))*dxinv(1)**2
             uyy = (cen*q(i,j,k,qu) + o1*(q(i,j+1,k,qu) + q(i,j-1,k,qu)) &
                                    + o2*(q(i,j+2,k,qu) + q(i,j-2,k,qu)) &
                                    + o3*(q(i,j+3,k,qu) + q(i,j-3,k,qu)) &
                                    + o4*(q(i,j+4,k,qu) + q(i,j-4,k,qu)))*dxinv(2)**2
             uzz = (cen*q(i,j,k,qu) + o1*(q(i,j,k+1,qu) + q(i,j,k-1,qu)) &
                                    + o2*(q(i,j,k+2,qu) + q(i,j,k-2,qu)) &
                                    + o3*(q(i,j,k+3,qu) + q(i,j,k-3,qu)) &
                                    + o4*(q(i,j,k+4,qu) + q(i,j,k-4,qu)))*dxinv(3)**2
             flux(i,j,k,imx) = flux(i,j,k,imx) + eta*(uxx + uyy + uzz)
          end do
       end do
    end do
  end subroutine diffusion

  ! One Runge-Kutta stage for every component: the component loop is a sweep.
  subroutine advance(lo, hi, ncomp, dt, cons, flux)
    integer, intent(in) :: lo(3), hi(3), ncomp
    double precision, intent(in) :: dt
    double precision, intent(inout) :: cons(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3), ncomp)
    double precision, intent(in)    :: flux(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3), ncomp)
    integer :: i, j, k, m

    do m = 1, ncomp
       do k = lo(3), hi(3)
          do j = lo(2), hi(2)
             do i = lo(1), hi(1)
                cons(i,j,k,m) = cons(i,j,k,m) + dt*flux(i,j,k,m)
             end do
          end do
       end do
    end do
  end subroutine advance
end module flow8_module
