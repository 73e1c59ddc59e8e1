! One step of a compressible flow in two dimensions: conserved variables (density, momenta, energy) in U, primitive ones
! (density, velocities, pressure) in Q. The loops need each other's results; `analyze --svg DIR` draws how.
module euler_module
  implicit none
  integer, parameter :: urho = 1, umx = 2, umy = 3, uene = 4
  integer, parameter :: qrho = 1, qu = 2, qv = 3, qp = 4
  double precision, parameter :: gamma = 1.4d0, gravity = -9.81d0

contains

  subroutine advance(nx, ny, dt, dxinv, dyinv, u, q, fx, fy, source, fastest)
    integer, intent(in) :: nx, ny
    double precision, intent(in) :: dt, dxinv, dyinv
    double precision, intent(inout) :: u(0:nx+1, 0:ny+1, 4)
    double precision, intent(inout) :: q(0:nx+1, 0:ny+1, 4)
    double precision, intent(inout) :: fx(0:nx+1, 0:ny+1, 4), fy(0:nx+1, 0:ny+1, 4), source(0:nx+1, 0:ny+1, 2)
    double precision, intent(out) :: fastest
    integer :: i, j
    double precision :: speed

    ! Primitive variables, ghost cells included.
    do j = 0, ny + 1
       do i = 0, nx + 1
          q(i,j,qrho) = u(i,j,urho)
          q(i,j,qu) = u(i,j,umx) / u(i,j,urho)
          q(i,j,qv) = u(i,j,umy) / u(i,j,urho)
          q(i,j,qp) = (gamma - 1.d0) * (u(i,j,uene) - 0.5d0 * (u(i,j,umx)*q(i,j,qu) + u(i,j,umy)*q(i,j,qv)))
       end do
    end do

    ! Fluxes along x.
    do j = 1, ny
       do i = 1, nx
          fx(i,j,1) = 0.5d0*dxinv*(u(i+1,j,umx) - u(i-1,j,umx))
          fx(i,j,2) = 0.5d0*dxinv*(u(i+1,j,umx)*q(i+1,j,qu) + q(i+1,j,qp) - u(i-1,j,umx)*q(i-1,j,qu) - q(i-1,j,qp))
          fx(i,j,3) = 0.5d0*dxinv*(u(i+1,j,umy)*q(i+1,j,qu) - u(i-1,j,umy)*q(i-1,j,qu))
          fx(i,j,4) = 0.5d0*dxinv*((u(i+1,j,uene) + q(i+1,j,qp))*q(i+1,j,qu) - (u(i-1,j,uene) + q(i-1,j,qp))*q(i-1,j,qu))
       end do
    end do

    ! Fluxes along y.
    do j = 1, ny
       do i = 1, nx
          fy(i,j,1) = 0.5d0*dyinv*(u(i,j+1,umy) - u(i,j-1,umy))
          fy(i,j,2) = 0.5d0*dyinv*(u(i,j+1,umx)*q(i,j+1,qv) - u(i,j-1,umx)*q(i,j-1,qv))
          fy(i,j,3) = 0.5d0*dyinv*(u(i,j+1,umy)*q(i,j+1,qv) + q(i,j+1,qp) - u(i,j-1,umy)*q(i,j-1,qv) - q(i,j-1,qp))
          fy(i,j,4) = 0.5d0*dyinv*((u(i,j+1,uene) + q(i,j+1,qp))*q(i,j+1,qv) - (u(i,j-1,uene) + q(i,j-1,qp))*q(i,j-1,qv))
       end do
    end do

    ! Gravity acts on the momentum along y and on the energy.
    do j = 1, ny
       do i = 1, nx
          source(i,j,1) = gravity * q(i,j,qrho)
          source(i,j,2) = gravity * u(i,j,umy)
       end do
    end do

    ! The new state.
    do j = 1, ny
       do i = 1, nx
          u(i,j,urho) = u(i,j,urho) - dt*(fx(i,j,1) + fy(i,j,1))
          u(i,j,umx) = u(i,j,umx) - dt*(fx(i,j,2) + fy(i,j,2))
          u(i,j,umy) = u(i,j,umy) - dt*(fx(i,j,3) + fy(i,j,3) - source(i,j,1))
          u(i,j,uene) = u(i,j,uene) - dt*(fx(i,j,4) + fy(i,j,4) - source(i,j,2))
       end do
    end do

    ! The fastest wave of the old state.
    fastest = 0.d0
    do j = 1, ny
       do i = 1, nx
          speed = sqrt(gamma * q(i,j,qp) / q(i,j,qrho))
          fastest = max(fastest, abs(q(i,j,qu)) + speed, abs(q(i,j,qv)) + speed)
       end do
    end do
  end subroutine advance

end module euler_module
