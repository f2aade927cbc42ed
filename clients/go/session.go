package polynya

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

const silentHeartbeats = 3

// A session is a bot on a connection, from hello to goodbye. It receives in one goroutine, and each
// match is played in its own.
type session struct {
	connection *connection
	bot        Bot
	plays      map[string]*play
	playing    sync.WaitGroup
	remarks    remarks
	logger     *slog.Logger
	ctx        context.Context // the caller's, from which those of turns come

	mutex   sync.Mutex
	failure error // what ended the bot: it counts more than how the connection ended then
}

// begin introduces the bot; the server's welcome. The connection is closed if there is none.
func (s *session) begin(hello message) (message, error) {
	err := s.connection.send(hello)
	for err == nil {
		var received received
		if received, err = s.connection.receive(); err != nil {
			err = notWelcome(err)
			break
		}
		switch m := received.message; m.kind() {
		case "welcome":
			return m, s.welcomed(m)
		case "error":
			err = s.error(m)
		}
	}
	s.connection.close()
	return nil, err
}

func (s *session) welcomed(welcome message) error {
	f := read(welcome)
	s.connection.maxFrame = f.integer("max_frame")
	s.connection.patience = silentHeartbeats * f.duration("heartbeat_ms")
	return f.err
}

// play plays whatever the server asks for until it says goodbye, then hangs up. If the bot fails, or
// the context ends, it says goodbye itself, which forfeits the matches that are going on.
func (s *session) play(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { s.fail(ctx.Err(), "the bot was interrupted") })
	defer stop()
	s.ctx = ctx
	err := s.receiveAll()
	var refused *ServerError
	if err != nil && !errors.Is(err, ErrConnectionLost) && !errors.Is(err, ErrReplaced) &&
		!errors.As(err, &refused) {
		s.fail(err, "the server's message is not of the protocol")
	}
	s.connection.close()
	for _, playing := range s.plays {
		playing.end("the connection has ended")
	}
	s.playing.Wait()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.failure != nil {
		return s.failure
	}
	return err
}

// fail ends the session, for the first reason that is given.
func (s *session) fail(err error, goodbye string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.failure == nil {
		s.failure = err
		s.connection.leave(goodbye)
	}
}

func (s *session) receiveAll() error {
	for {
		received, err := s.connection.receive()
		if err != nil {
			return err
		}
		if received.message.kind() == "goodbye" {
			reason, _ := received.message["reason"].(string)
			return takeGoodbye(reason, s.logger)
		}
		if err := s.handle(received); err != nil {
			return err
		}
	}
}

// handle acts on a message; types and matches that we do not know are ignored.
func (s *session) handle(received received) error {
	switch m := received.message; m.kind() {
	case "match_start", "match_resume":
		return s.start(received)
	case "ping":
		return s.connection.send(message{"type": "pong", "nonce": m["nonce"]})
	case "turn", "moved", "forfeited", "match_over":
		return s.event(received)
	case "legal":
		if playing := s.about(m); playing != nil {
			_, err := playing.answer(m)
			return err
		}
	case "error":
		return s.error(m)
	case "notice":
		s.tell(m)
	}
	return nil
}

// tell prints what the server wants the bot's author to know; nothing in it ends the bot.
func (s *session) tell(notice message) {
	code, _ := notice["code"].(string)
	sentence, _ := notice["message"].(string)
	s.logger.Warn(fmt.Sprintf("the server says %s: %s", printable(code), printable(sentence)))
}

// about is the play of the match that a message is about, nil if we do not know it.
func (s *session) about(m message) *play {
	id, _ := m["match"].(string)
	return s.plays[id]
}

func (s *session) start(start received) error {
	playing, err := newPlay(s, start)
	if err != nil {
		return err
	}
	if before := s.about(start.message); before != nil {
		before.end("the match begins again")
	}
	s.plays[playing.match.ID] = playing
	s.playing.Add(1)
	go s.run(playing)
	return nil
}

// run plays a match. A panic of the bot is left to end the program, after a goodbye.
func (s *session) run(playing *play) {
	defer s.playing.Done()
	defer func() {
		if panicked := recover(); panicked != nil {
			s.connection.leave("the bot ended by a panic" + ofKind(panicked))
			panic(panicked)
		}
	}()
	if err := playing.run(); err != nil && !errors.Is(err, ErrConnectionLost) {
		s.fail(err, "the bot ended by an error"+ofKind(err))
	}
	for range playing.tasks { // let nobody wait
	}
}

// ofKind names the type of an error, in parentheses; nothing if it has no type of its own.
func ofKind(failure any) string {
	if err, is := failure.(error); is {
		for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
			err = inner
		}
		failure = err
	}
	switch kind := fmt.Sprintf("%T", failure); kind {
	case "string", "*errors.errorString", "*fmt.wrapError", "*fmt.wrapErrors":
		return ""
	default:
		return " (" + kind + ")"
	}
}

func (s *session) event(received received) error {
	playing := s.about(received.message)
	if playing == nil {
		return nil
	}
	task, err := playing.event(received)
	if err != nil {
		return err
	}
	playing.put(task)
	if received.message.kind() == "match_over" {
		delete(s.plays, playing.match.ID)
		playing.end("the match is over")
	}
	return nil
}

func (s *session) error(m message) error {
	f := read(m)
	code, sentence := printable(f.text("code")), printable(f.text("message"))
	if f.err != nil {
		return f.err
	}
	if m["fatal"] != false {
		return &ServerError{code, sentence}
	}
	if playing := s.about(m); playing != nil {
		if taken, err := playing.answer(m); taken {
			return err
		}
	}
	s.logger.Warn(fmt.Sprintf("the server says %s: %s", code, sentence))
	return nil
}
