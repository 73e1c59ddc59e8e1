C     Two-dimensional heat equation, five points, fixed form: a time
C     loop around an update and a copy.
      SUBROUTINE HEAT5(NX, NY, NSTEPS, ALPHA, T, TNEW)
      INTEGER NX, NY, NSTEPS, I, J, ISTEP
      DOUBLE PRECISION ALPHA, T(0:NX+1,0:NY+1), TNEW(0:NX+1,0:NY+1)
      PARAMETER (FOUR = 4.0)
      DO 40 ISTEP = 1, NSTEPS
         DO 20 J = 1, NY
            DO 10 I = 1, NX
               TNEW(I,J) = T(I,J) + ALPHA*(T(I-1,J) + T(I+1,J)
     &                   + T(I,J-1) + T(I,J+1) - FOUR*T(I,J))
   10       CONTINUE
   20    CONTINUE
         DO 30 J = 1, NY
         DO 30 I = 1, NX
            T(I,J) = TNEW(I,J)
   30    CONTINUE
   40 CONTINUE
      RETURN
      END
