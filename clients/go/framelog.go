package polynya

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// A frameLog writes every message as it passes: one JSON object a line, the token left out. A nil
// log writes nothing.
type frameLog struct {
	to  io.Writer
	bot *string
}

// openFrameLog opens a log in a file (which several bots may append to), "-" for standard error.
func openFrameLog(target, bot string) (*frameLog, error) {
	log := &frameLog{to: os.Stderr}
	if bot != "" {
		log.bot = &bot
	}
	switch target {
	case "":
		return nil, nil
	case "-":
		return log, nil
	}
	file, err := os.OpenFile(target, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("%w: the log: %w", ErrSettings, err)
	}
	log.to = file
	return log, nil
}

// write writes one line, at once: wall-clock time in seconds, the bot, the direction, the message.
func (l *frameLog) write(direction string, m message) {
	if l == nil {
		return
	}
	entry := map[string]any{
		"time": float64(time.Now().UnixMicro()) / 1e6, "bot": l.bot, "direction": direction,
		"message": withoutToken(m),
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(entry) != nil { // JSON has no infinity
		entry["message"] = fmt.Sprint(entry["message"])
		line.Reset()
		_ = encoder.Encode(entry)
	}
	_, _ = l.to.Write(line.Bytes())
}

func withoutToken(m message) message {
	if m["token"] == nil {
		return m
	}
	shown := message{}
	for key, value := range m {
		shown[key] = value
	}
	shown["token"] = "(left out)"
	return shown
}
