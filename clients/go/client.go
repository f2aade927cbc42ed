package polynya

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

const (
	exitGaveUp   = 75
	exitReplaced = 76
)

// Main runs a bot as a program: it plays on a server until the contest is over. It exits with 0 then,
// and after Ctrl-C and SIGTERM, which say goodbye; with 75 if it gave up trying to reach the server,
// with 76 if another process plays as this bot now, with 1 after another error.
func Main(bot Bot, options Options) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := Run(ctx, bot, options)
	stop()
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return
	}
	fmt.Fprintln(os.Stderr, "polynya:", strings.TrimPrefix(err.Error(), "polynya: "))
	switch {
	case errors.Is(err, ErrGaveUp):
		os.Exit(exitGaveUp)
	case errors.Is(err, ErrReplaced):
		os.Exit(exitReplaced)
	}
	os.Exit(1)
}

// Run plays on a server until the contest is over, and comes back to it until then; when the context
// ends, the bot says goodbye.
//
// POLYNYA_HOST, POLYNYA_PORT, POLYNYA_TOKEN, POLYNYA_TOKEN_FILE, POLYNYA_NAME, POLYNYA_GAMES (separated
// by commas), POLYNYA_CONCURRENCY, POLYNYA_TLS (1 or 0), POLYNYA_CA_FILE, POLYNYA_RECONNECT (seconds, or
// forever) and POLYNYA_LOG in the environment win over the options, so that a tournament can start any
// bot unchanged.
//
// The error is ErrSettings, ErrGaveUp, ErrReplaced, a *ServerError, a *FrameError, ErrMessage, that of the
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
	c := &client{
		bot, settings, log, newRetries(settings.ReconnectFor), &servers{addresses: settings.servers},
	}
	return c.play(ctx)
}

// A client is a bot with its settings, over as many connections as it takes.
type client struct {
	bot      Bot
	settings settings // with the name and token in force
	log      *frameLog
	retries  *retries
	servers  *servers
}

func (c *client) play(ctx context.Context) error {
	for {
		err := c.session(ctx)
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case c.isMended(err):
			continue
		case !comesBackAfter(err):
			return err
		}
		c.servers.after(err)
		pause, inTime := c.retries.after(err)
		if !inTime {
			return fmt.Errorf("%w; %w", err, ErrGaveUp)
		}
		c.settings.Logger.Warn(fmt.Sprintf("%v; trying again in %v", err, pause.Round(time.Millisecond)))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// session is one connection, from hello to goodbye.
func (c *client) session(ctx context.Context) error {
	connection, err := connectToAny(ctx, c.servers, c.settings.tls, c.log)
	if err != nil {
		return errors.Join(ctx.Err(), err)
	}
	s := &session{
		connection: connection, bot: c.bot, plays: map[string]*play{}, logger: c.settings.Logger,
		remarks: remarks{logger: c.settings.Logger},
	}
	welcome, err := s.begin(c.settings.hello())
	if err != nil {
		return err
	}
	c.retries.welcome()
	c.servers.welcome()
	c.remember(welcome)
	hook, _ := c.bot.(ConnectionHook)
	if hook != nil {
		hook.Connected(c.settings.Name)
	}
	err = s.play(ctx)
	if hook != nil {
		hook.Disconnected(err)
	}
	return err
}

// tellConnected says at a terminal that the bot is connected: nothing else is seen until a match.
func tellConnected(name string) {
	if about, err := os.Stderr.Stat(); err == nil && about.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(os.Stderr, "connected as %s; waiting for a match\n", printable(name))
	}
}

// isMended tells whether it may help to introduce ourselves anew: the kept token is of another server.
func (c *client) isMended(err error) bool {
	var refused *ServerError
	if !errors.As(err, &refused) || refused.Code != "unauthorized" || !c.settings.tokenIsKept {
		return false
	}
	c.settings.Logger.Warn(fmt.Sprintf("the token in %s is not good here", c.settings.tokenFile))
	c.settings.Token, c.settings.tokenIsKept = "", false
	return true
}

// remember keeps the name in force, and the token if it was registered just now: it tells the author.
func (c *client) remember(welcome message) {
	if name, _ := welcome["bot"].(string); name != "" {
		c.settings.Name = name
	}
	tellConnected(c.settings.Name)
	token, _ := welcome["token"].(string)
	if token == "" {
		return
	}
	c.settings.Token, c.settings.tokenIsKept = token, false
	name := printable(c.settings.Name)
	if err := keepToken(c.settings.tokenFile, token); err != nil {
		c.settings.Logger.Warn(fmt.Sprintf("registered as %s; %v, so keep the token yourself: POLYNYA_TOKEN=%s",
			name, err, printable(token)))
		return
	}
	c.settings.Logger.Warn(fmt.Sprintf("registered as %s; the token is kept in %s", name, c.settings.tokenFile))
}
