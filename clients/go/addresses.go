package polynya

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// An address is where one server of the contest is.
type address struct {
	host string
	port int
}

func (a address) String() string { return net.JoinHostPort(a.host, strconv.Itoa(a.port)) }

var (
	withPort    = regexp.MustCompile(`^(?:\[([^\s\[\]]+)\]|([^\s:\[\]]+)):([0-9]{1,5})$`)
	bracketed   = regexp.MustCompile(`^\[([^\s\[\]]+)\]$`)
	withoutPort = regexp.MustCompile(`^(?:[^\s:\[\]]+|[^\s\[\]]*:[^\s\[\]]*:[^\s\[\]]*)$`)
)

// readAddresses reads HOST,HOST:PORT,[IPV6]:PORT: a host without a port has the one given, 0 for none.
func readAddresses(text string, port int) ([]address, error) {
	var addresses []address
	for _, item := range strings.Split(text, ",") {
		read, err := readAddress(strings.TrimSpace(item), port)
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, read)
	}
	return addresses, nil
}

func readAddress(item string, port int) (address, error) {
	host := ""
	if found := withPort.FindStringSubmatch(item); found != nil {
		port, _ = strconv.Atoi(found[3])
		if port < 1 || port > 65535 {
			return address{}, badAddress(item)
		}
		return address{found[1] + found[2], port}, nil
	} else if found := bracketed.FindStringSubmatch(item); found != nil {
		host = found[1]
	} else if withoutPort.MatchString(item) {
		host = item
	} else {
		return address{}, badAddress(item)
	}
	if port == 0 {
		return address{}, fmt.Errorf("%w: no port: set POLYNYA_PORT, or Options.Port", ErrSettings)
	}
	return address{host, port}, nil
}

func badAddress(item string) error {
	return fmt.Errorf("%w: a server is HOST, HOST:PORT or [IPV6]:PORT with a port from 1 to 65535, and "+
		"several are separated by commas, not %q", ErrSettings, item)
}

// servers are the addresses of a contest; the first is tried next. A server that is not there, has no
// room or says goodbye is followed by the next one; a connection that is lost in a session is made
// again with the same server first.
type servers struct {
	addresses []address
	isWelcome bool
}

const (
	patienceWithOne = 10 * time.Second
	// A server that stands still accepts connections and says nothing: another one may play meanwhile.
	patienceAmongSeveral = 3 * time.Second
)

// patience is how long a server may take to connect, and then to welcome the bot.
func (s *servers) patience() time.Duration {
	for _, other := range s.addresses {
		if other != s.addresses[0] {
			return patienceAmongSeveral
		}
	}
	return patienceWithOne
}

func (s *servers) moveOn() { s.addresses = append(s.addresses[1:], s.addresses[0]) }

// welcome says that the present server has begun a session.
func (s *servers) welcome() { s.isWelcome = true }

// after says that the present server has ended it, or not begun it.
func (s *servers) after(trouble error) {
	var refused *ServerError
	if !s.isWelcome || errors.Is(trouble, errServerLeft) || errors.As(trouble, &refused) {
		s.moveOn()
	}
	s.isWelcome = false
}
