! In a file of its own, with other names.
subroutine energy(field, total)
  use sizes
  real(8), intent(in) :: field(n, n, n)
  real(8), intent(out) :: total
  integer :: x, y, z

  total = 0
  do z = 1, n
    do y = 1, n
      do x = 1, n
        total = total + field(x, y, z) * field(x, y, z)
      end do
    end do
  end do
end subroutine energy
