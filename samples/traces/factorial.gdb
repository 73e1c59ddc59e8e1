0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10658 <kernel+14>:	addi	a0,a0,-1
0x1065a <kernel+16>:	jal	ra,-16 # 0x1064a
0x1064a <kernel>:	addi	sp,sp,-16
0x1064c <kernel+2>:	sd	s0,0(sp)
0x1064e <kernel+4>:	sd	ra,8(sp)
0x10650 <kernel+6>:	addi	a5,zero,1
0x10652 <kernel+8>:	mv	s0,a0
0x10654 <kernel+10>:	beq	a0,a5,14 # 0x10662
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
0x1065e <kernel+20>:	mul	s0,s0,a0
0x10662 <kernel+24>:	ld	ra,8(sp)
0x10664 <kernel+26>:	mv	a0,s0
0x10666 <kernel+28>:	ld	s0,0(sp)
0x10668 <kernel+30>:	addi	sp,sp,16
0x1066a <kernel+32>:	ret
