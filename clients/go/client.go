package polynya

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"time"
)

const interrupted = 130

// Main runs a bot as a program: it plays on a server until it says goodbye, and exits with 1 after an
// error, with 130 after Ctrl-C.
func Main(bot Bot, options Options) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := Run(ctx, bot, options)
	stop()
	switch {
	case errors.Is(err, context.Canceled):
		os.Exit(interrupted)
	case err != nil:
		fmt.Fprintln(os.Stderr, "polynya:", err)
		os.Exit(1)
	}
}

// Run plays on a server until it says goodbye; when the context ends, the bot says it.
//
// POLYNYA_HOST, POLYNYA_PORT, POLYNYA_TOKEN, POLYNYA_NAME, POLYNYA_TLS (1 or 0) and POLYNYA_LOG in
// the environment win over the options, so that a tournament can start any bot unchanged.
//
// The error is ErrSettings, ErrConnectionLost, a *ServerError, a *FrameError, ErrMessage, that of the
// context, or the bot's own.
func Run(ctx context.Context, bot Bot, options Options) error {
	settings, err := readSettings(options, os.Getenv)
	if err != nil {
		return err
	}
	log, err := openFrameLog(settings.Log, settings.Name)
	if err != nil {
		return err
	}
	c := &client{bot, settings, log}
	return c.play(ctx)
}

// A client is a bot with its settings, over as many connections as it takes.
type client struct {
	bot      Bot
	settings settings // with the name and token in force
	log      *frameLog
}

func (c *client) play(ctx context.Context) error {
	session, err := c.connect(ctx)
	for err == nil {
		err = session.play(ctx)
		if !errors.Is(err, ErrConnectionLost) || c.settings.Token == "" {
			return err
		}
		session, err = c.comeBack(ctx, err)
	}
	return err
}

func (c *client) connect(ctx context.Context) (*session, error) {
	connection, err := connect(ctx, c.settings, c.log)
	if err != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	s := &session{connection: connection, bot: c.bot, plays: map[string]*play{}}
	welcome, err := s.begin(c.settings.hello())
	if err == nil {
		c.remember(welcome)
	}
	return s, err
}

// comeBack makes a new session in place of one that was lost; it takes over what is still going on.
// The error is the given one when the server stays away for too long.
func (c *client) comeBack(ctx context.Context, lost error) (*session, error) {
	for _, pause := range backoff(c.settings.ReconnectFor) {
		slog.Warn(fmt.Sprintf("%v; trying again in %v", lost, pause))
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
		session, err := c.connect(ctx)
		if !errors.Is(err, ErrConnectionLost) {
			return session, err
		}
	}
	return nil, lost
}

// remember keeps the name in force, and the token if it was registered just now: it tells the author.
func (c *client) remember(welcome message) {
	if name, _ := welcome["bot"].(string); name != "" {
		c.settings.Name = name
	}
	token, _ := welcome["token"].(string)
	if token == "" {
		return
	}
	c.settings.Token = token
	slog.Warn(fmt.Sprintf("registered as %s; to use the name again, set POLYNYA_TOKEN=%s",
		printable(c.settings.Name), printable(token)))
}
