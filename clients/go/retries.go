package polynya

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

const (
	afterALoss    = 100 * time.Millisecond
	afterAWord    = 2500 * time.Millisecond
	longestPause  = 5 * time.Second
	steadySession = 5 * time.Second
)

// errServerLeft says that the server has said goodbye, and not that it is for good.
var errServerLeft = errors.New("the server says goodbye")

// takeGoodbye gives no error if the contest is over, ErrReplaced if another process plays as this
// bot now, and else one after which a bot comes back.
func takeGoodbye(reason string, logger *slog.Logger) error {
	switch reason {
	case "finished":
		logger.Warn("the server says goodbye (finished): this contest is over")
		return nil
	case "replaced":
		return ErrReplaced
	}
	return fmt.Errorf("%w: %w (%s)", ErrConnectionLost, errServerLeft, printable(reason))
}

// retries gives the pauses of a bot that wants to come back. They double from 0.1 s to 5 s, from 2.5 s
// where the server has said that it wants nobody now, and each is shortened by up to a half at random,
// so that bots that left together do not return together. A session of 5 s begins them anew, and any
// session does that a lost connection ended: its bot may be in a match.
type retries struct {
	total        time.Duration // from the first failure on, or after any welcome
	pause        time.Duration
	failingSince time.Time
	welcomeAt    time.Time
}

func newRetries(total time.Duration) *retries { return &retries{total: total, pause: afterALoss} }

// welcome says that a session has begun.
func (r *retries) welcome() { r.welcomeAt, r.failingSince = time.Now(), time.Time{} }

// after tells how long to wait after this, or that the time for attempts is over.
func (r *retries) after(trouble error) (time.Duration, bool) {
	now := time.Now()
	var refused *ServerError
	isWord := errors.Is(trouble, errServerLeft) || errors.As(trouble, &refused)
	if !r.welcomeAt.IsZero() && (!isWord || now.Sub(r.welcomeAt) >= steadySession) {
		r.pause = afterALoss
	}
	r.welcomeAt = time.Time{}
	if r.failingSince.IsZero() {
		r.failingSince = now
	}
	left := r.total - now.Sub(r.failingSince)
	pause := r.pause
	if isWord {
		pause = max(pause, afterAWord)
	}
	r.pause = min(2*pause, longestPause)
	return min(pause-rand.N(pause/2), left), left > 0
}

// comesBackAfter tells whether a bot tries again after this: it says nothing against the bot.
func comesBackAfter(err error) bool {
	var refused *ServerError
	if errors.As(err, &refused) {
		return refused.Code == "server_full" || refused.Code == "shutting_down"
	}
	return errors.Is(err, ErrConnectionLost)
}
