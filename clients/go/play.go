package polynya

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// waitingEvents is how many events of a match may wait for the bot before the server has to.
const waitingEvents = 64

// A play is one match as it is played on a connection: a goroutine tells the bot the events in their
// order, while the session goes on to receive.
type play struct {
	match   *Match
	bot     Bot
	send    func(message) error
	tasks   chan func() error
	remarks *remarks
	logger  *slog.Logger
	ctx     context.Context // the caller's

	nextSeq  int
	resigned bool

	asking sync.Mutex // held while a question is sent, so that answers come in the questions' order
	mutex  sync.Mutex // guards what follows
	// asked is the turn that the server waits for, with what ends its context.
	asked     *Turn
	isOver    bool
	abandoned context.CancelCauseFunc
	questions []chan answer
	pondering context.CancelFunc // ends the thinking on the opponents' time
}

// An answer to the message steps.
type answer struct {
	legal Legal
	err   error
}

func newPlay(s *session, start received) (*play, error) {
	match, err := newMatch(start.message, start.payload)
	f := read(start.message)
	p := &play{
		match:   match,
		bot:     s.bot,
		send:    s.connection.send,
		remarks: &s.remarks,
		logger:  s.logger,
		ctx:     s.ctx,
		tasks:   make(chan func() error, waitingEvents),
		nextSeq: f.integer("seq") + 1,
	}
	match.resign = p.resign
	p.tasks <- p.begin
	return p, errors.Join(err, f.err)
}

// run does the tasks in their order until there are no more, or one fails.
func (p *play) run() error {
	for task := range p.tasks {
		if err := task(); err != nil {
			return err
		}
		p.ponder()
	}
	return nil
}

// ponder lets the bot think until there is something to do.
func (p *play) ponder() {
	bot, ponders := p.bot.(Ponderer)
	if !ponders {
		return
	}
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	p.mutex.Lock()
	idle := len(p.tasks) == 0 && !p.isOver
	p.pondering = cancel
	p.mutex.Unlock()
	if idle {
		bot.Ponder(ctx, p.match)
	}
}

// put gives the bot something to do.
func (p *play) put(task func() error) {
	p.tasks <- task
	p.wake()
}

// end gives the bot nothing more to do.
func (p *play) end(why string) {
	p.abandon(why)
	p.mutex.Lock()
	p.isOver = true
	p.mutex.Unlock()
	p.wake()
	close(p.tasks)
}

// wake ends the thinking on the opponents' time.
func (p *play) wake() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.pondering != nil {
		p.pondering()
	}
}

func (p *play) begin() error {
	p.bot.MatchStart(p.match)
	if p.match.Resumed { // a bot that has come back counts as ready
		return nil
	}
	return p.send(message{"type": "ready", "match": p.match.ID})
}

// event takes turn, moved, forfeited or match_over: the task that it brings.
func (p *play) event(event received) (func() error, error) {
	if err := p.follow(event.message); err != nil {
		return nil, err
	}
	switch event.message.kind() {
	case "turn":
		return p.turn(event)
	case "moved":
		moved, err := readMoved(event.message)
		return func() error {
			p.match.follow(moved.Acting)
			p.bot.Moved(p.match, moved)
			return nil
		}, err
	case "forfeited":
		forfeited, err := readForfeited(event.message)
		p.noticeForfeit(forfeited)
		return func() error {
			p.match.follow(forfeited.Acting)
			p.bot.Forfeited(p.match, forfeited)
			return nil
		}, err
	default:
		p.abandon("the match is over")
		over, err := readMatchOver(event.message)
		return func() error { p.bot.MatchOver(p.match, over); return nil }, err
	}
}

// follow counts an event. If one is missing, only connecting again can bring the match back.
func (p *play) follow(m message) error {
	f := read(m)
	seq := f.integer("seq")
	if f.err == nil && seq != p.nextSeq {
		return lost("match %s: event %d is missing, %d came instead", printable(p.match.ID), p.nextSeq, seq)
	}
	p.nextSeq++
	return f.err
}

func (p *play) noticeForfeit(forfeited Forfeited) {
	if forfeited.Seat != p.match.Seat {
		return
	}
	p.abandon("the match was forfeited by " + printable(forfeited.Reason))
	if !p.hasResigned() {
		p.logger.Warn(fmt.Sprintf("match %s forfeited (%s): %s",
			printable(p.match.ID), printable(forfeited.Reason), printable(forfeited.Detail)))
	}
}

func (p *play) turn(event received) (func() error, error) {
	p.abandon("another turn is being asked for")
	turn, err := newTurn(p.match, event)
	if err != nil {
		return nil, err
	}
	ctx, abandoned := context.WithCancelCause(p.ctx)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	turn.ask = p.ask
	p.asked, p.abandoned = turn, abandoned
	return func() error { return p.decide(ctx, turn) }, nil
}

// abandon tells the bot that nobody waits any more for the answer to the turn being asked for.
func (p *play) abandon(why string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.asked == nil {
		return
	}
	cause := fmt.Errorf("%w: %s", ErrTurnLost, why)
	p.abandoned(cause)
	for _, question := range p.questions {
		question <- answer{err: cause}
	}
	p.asked, p.questions = nil, nil
}

// decide lets the bot choose, and sends its move unless nobody waits for it any more.
func (p *play) decide(abandoned context.Context, turn *Turn) error {
	ctx, cancel := context.WithDeadline(abandoned, turn.Deadline)
	defer cancel()
	steps, err := []Step(nil), context.Cause(abandoned)
	if err == nil {
		steps, err = p.bot.Turn(ctx, turn)
	}
	if p.hasResigned() {
		return nil
	}
	if cause := context.Cause(abandoned); cause != nil {
		err = cause
	}
	switch {
	case errors.Is(err, ErrTurnLost), err != nil && ctx.Err() != nil:
		p.logger.Warn(fmt.Sprintf("no move for turn %d of match %s: %v", turn.Number, printable(p.match.ID), err))
		return nil
	case err != nil:
		return err
	case len(steps) == 0:
		return ErrNoSteps
	}
	move := message{"type": "move", "match": p.match.ID, "turn": turn.Number, "steps": steps}
	if info := p.remarks.of(turn); info != nil {
		move["info"] = info
	}
	return p.send(move)
}

// ask asks the server what may follow the first steps of a turn.
func (p *play) ask(ctx context.Context, turn *Turn, steps []Step) (Legal, error) {
	answered := make(chan answer, 1)
	if err := p.putQuestion(turn, steps, answered); err != nil {
		return Legal{}, err
	}
	select {
	case answer := <-answered:
		return answer.legal, answer.err
	case <-ctx.Done():
		return Legal{}, fmt.Errorf("%w: %w", ErrTurnLost, context.Cause(ctx))
	}
}

func (p *play) putQuestion(turn *Turn, steps []Step, answered chan answer) error {
	p.asking.Lock()
	defer p.asking.Unlock()
	p.mutex.Lock()
	waited := p.asked == turn
	if waited {
		p.questions = append(p.questions, answered)
	}
	p.mutex.Unlock()
	if !waited {
		return fmt.Errorf("%w: it is not asked for any more", ErrTurnLost)
	}
	if steps == nil {
		steps = []Step{}
	}
	return p.send(message{"type": "steps", "match": p.match.ID, "turn": turn.Number, "steps": steps})
}

// answer takes an answer to the message steps, legal or error; whether it was one. Answers come in
// the order of the questions.
func (p *play) answer(m message) (bool, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.questions) == 0 || m["turn"] != nil && m["turn"] != int64(p.asked.Number) {
		return false, nil
	}
	question := p.questions[0]
	p.questions = p.questions[1:]
	if m.kind() == "error" {
		sentence, _ := m["message"].(string)
		question <- answer{err: fmt.Errorf("%w: %s", ErrTurnLost, printable(sentence))}
		return true, nil
	}
	legal, err := readLegal(m)
	question <- answer{legal, err}
	return true, err
}

func (p *play) resign() {
	p.mutex.Lock()
	p.resigned = true
	p.mutex.Unlock()
	_ = p.send(message{"type": "resign", "match": p.match.ID})
}

func (p *play) hasResigned() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.resigned
}
