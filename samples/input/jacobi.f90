module sizes
  implicit none
  integer :: nx = 10, ny = 10, steps = 5
end module sizes

subroutine read_sizes()
  use sizes
  implicit none
  character(len=80) :: word
  integer :: status
  open (10, file='jacobi.in', status='old')
  do
     read (10, *, iostat=status) word
     if (status /= 0) exit
     select case (word)
     case ('nx')
        read (10, *) nx
     case ('ny')
        read (10, *) ny
     case ('steps')
        read (10, *) steps
     end select
  end do
end subroutine read_sizes

program jacobi
  use sizes
  implicit none
  real(8), allocatable :: u(:,:), v(:,:)
  integer :: i, j, step
  call read_sizes()
  allocate (u(0:nx+1,0:ny+1), v(0:nx+1,0:ny+1))
  u = 1d0
  do step = 1, steps
     do j = 1, ny
        do i = 1, nx
           v(i,j) = 0.25d0*(u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1))
        end do
     end do
     do j = 1, ny
        do i = 1, nx
           u(i,j) = v(i,j)
        end do
     end do
  end do
  print *, u(1,1)
end program jacobi
