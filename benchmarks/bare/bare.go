// Command bare answers every so many bytes with so many others, and does nothing else.
package main

import (
	"encoding/binary"
	"io"
	"log"
	"net"
	"os"
	"strconv"
)

func main() {
	var numbers [3]int
	for place := range numbers {
		number, err := strconv.Atoi(os.Args[1+place])
		if err != nil {
			log.Fatal(err)
		}
		numbers[place] = number
	}
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", os.Args[1])) // without Nagle's delay
	if err != nil {
		log.Fatal(err)
	}
	turn, answer := make([]byte, numbers[1]), make([]byte, numbers[2])
	binary.BigEndian.PutUint32(answer, uint32(len(answer)-4))
	for {
		if _, err := io.ReadFull(conn, turn); err != nil {
			return
		}
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}
