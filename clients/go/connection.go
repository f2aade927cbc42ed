package polynya

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// A connection is a connected socket that speaks frames. Any goroutine may send, one receives.
type connection struct {
	// maxFrame is the largest frame that the server takes, in bytes.
	maxFrame int
	// patience is how long the server may be silent, and how long it may refuse to read.
	patience time.Duration

	socket  net.Conn
	reader  *bufio.Reader
	log     *frameLog
	sending sync.Mutex
	left    bool
}

// A received message comes with its bytes, and with the time when the last of them was read.
type received struct {
	message message
	payload []byte
	arrived time.Time
}

// connectToAny makes a connection to the first server that answers.
func connectToAny(ctx context.Context, to *servers, config *tls.Config, log *frameLog) (*connection, error) {
	var failures error
	for range to.addresses {
		connection, err := connect(ctx, to.addresses[0], to.patience(), config, log)
		if err == nil {
			return connection, nil
		}
		if failures != nil {
			err = fmt.Errorf("%w; %w", failures, err)
		}
		failures = err
		to.moveOn()
	}
	return nil, failures
}

// connect makes a new connection, with TLS if there is a configuration of it. The patience holds for
// making it, and until the welcome for each read and write.
func connect(
	ctx context.Context, to address, patience time.Duration, config *tls.Config, log *frameLog,
) (*connection, error) {
	dialer := &net.Dialer{Timeout: patience}
	dial := dialer.DialContext
	if config != nil {
		// Without a name in the configuration the certificate is to be for the address's host.
		dial = (&tls.Dialer{NetDialer: dialer, Config: config}).DialContext
	}
	socket, err := dial(ctx, "tcp", to.String())
	if err != nil {
		return nil, lost("cannot connect to %s: %w", to, err)
	}
	return &connection{
		maxFrame: defaultMaxFrame,
		patience: patience,
		socket:   socket,
		reader:   bufio.NewReader(socket),
		log:      log,
	}, nil
}

func lost(format string, values ...any) error {
	return fmt.Errorf("%w: %w", ErrConnectionLost, fmt.Errorf(format, values...))
}

// send sends one message; nothing once the bot has said goodbye. When the connection breaks, whoever
// receives notices too.
func (c *connection) send(m message) error {
	frame, err := encode(m, c.maxFrame)
	if err != nil {
		return err
	}
	c.sending.Lock()
	defer c.sending.Unlock()
	if c.left {
		return nil
	}
	_ = c.socket.SetWriteDeadline(time.Now().Add(c.patience))
	if _, err := c.socket.Write(frame); err != nil {
		c.close()
		return lost("it broke while sending: %w", err)
	}
	c.log.write("sent", m)
	return nil
}

// receive waits for the next message.
func (c *connection) receive() (received, error) {
	_ = c.socket.SetReadDeadline(time.Now().Add(c.patience))
	payload, err := readFrame(c.reader, serverMaxFrame)
	arrived := time.Now()
	var frameError *FrameError
	switch {
	case err == nil, errors.As(err, &frameError):
	case errors.Is(err, os.ErrDeadlineExceeded):
		return received{}, lost("the server was silent for three heartbeats")
	case errors.Is(err, io.EOF):
		return received{}, lost("the server closed the connection without a goodbye")
	default:
		return received{}, lost("it broke while receiving: %w", err)
	}
	if err != nil {
		return received{}, err
	}
	m, err := decode(payload)
	if err == nil {
		c.log.write("received", m)
	}
	return received{m, payload, arrived}, err
}

// leave says goodbye, if the connection still carries it, and closes.
func (c *connection) leave(reason string) {
	_ = c.send(message{"type": "goodbye", "reason": reason})
	c.sending.Lock()
	c.left = true
	c.sending.Unlock()
	c.close()
}

// close closes the socket without a word.
func (c *connection) close() { _ = c.socket.Close() }
