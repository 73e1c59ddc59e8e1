! Equation of state of an ideal gas and the time step that it allows: divisions and square roots.
subroutine ideal_gas(nx, ny, density, energy, pressure, soundspeed)
  implicit none
  integer, intent(in) :: nx, ny
  double precision, intent(in) :: density(nx, ny), energy(nx, ny)
  double precision, intent(out) :: pressure(nx, ny), soundspeed(nx, ny)
  double precision, parameter :: gamma = 1.4d0
  double precision :: volume, by_energy, by_volume
  integer :: j, k

  do k = 1, ny
     do j = 1, nx
        volume = 1.d0/density(j,k)
        pressure(j,k) = (gamma - 1.d0)*density(j,k)*energy(j,k)
        by_energy = (gamma - 1.d0)*density(j,k)
        by_volume = -density(j,k)*pressure(j,k)*volume
        soundspeed(j,k) = sqrt(volume*volume*(pressure(j,k)*by_energy - by_volume))
     end do
  end do
end subroutine ideal_gas

double precision function time_step(nx, ny, dx, dy, soundspeed, u, v)
  implicit none
  integer, intent(in) :: nx, ny
  double precision, intent(in) :: dx, dy, soundspeed(nx, ny), u(nx, ny), v(nx, ny)
  integer :: j, k
  double precision :: along_x, along_y

  time_step = huge(1.d0)
  do k = 1, ny
     do j = 1, nx
        along_x = dx/(abs(u(j,k)) + soundspeed(j,k))
        along_y = dy/(abs(v(j,k)) + soundspeed(j,k))
        time_step = min(time_step, along_x, along_y)
     end do
  end do
end function time_step
