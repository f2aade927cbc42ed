package polynya

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const protocolVersion = 1

// Options are what a program tells Run; all of it may be left out.
type Options struct {
	// Name is 1 to 32 of A-Za-z0-9_.-; it may be left out with a token.
	Name string
	// Games are those that it plays; any if nil.
	Games []string
	// Wants is what the server adds to each turn, "state" and "legal" if nil; "moved" brings that
	// for our own turns.
	Wants []string
	// Concurrency is how many matches it plays at the same time; 1 if left out.
	Concurrency int
	// Host is the server's; 127.0.0.1 if left out. Several servers of one contest are tried in turn:
	// HOST,HOST:PORT,[IPV6]:PORT.
	Host string
	// Port is the server's, where Host names none.
	Port int
	// Token is what proves that the name is ours.
	Token string
	// SoftwareName and SoftwareVersion are those of the bot, for the records; each version has a
	// rating of its own.
	SoftwareName, SoftwareVersion string
	// TLS encrypts, and verifies the server's certificate.
	TLS bool
	// CAFile holds the authorities to verify it by, in PEM; those of the system if left out.
	CAFile string
	// TLSConfig is what TLS uses in place of its own configuration and CAFile; it switches TLS on.
	TLSConfig *tls.Config
	// Logger takes warnings for the bot's author; slog.Default() if left out.
	Logger *slog.Logger
	// Log is a file for all messages sent and received as JSON lines, "-" for standard error.
	Log string
	// ReconnectFor is how long to try when the server is not there, has no room, or has said goodbye
	// without meaning it for good: a minute if left out, not at all if negative.
	ReconnectFor time.Duration
}

// settings are the options in force, with what the environment says: it wins, so that tournaments
// can start any bot unchanged.
type settings struct {
	Options
	servers      []address
	tls          *tls.Config
	tokenFile    string
	tokenIsKept  bool // whether the token is of an earlier start
	registration string
}

func readSettings(options Options, environment func(string) string) (settings, error) {
	for name, option := range map[string]*string{
		"HOST": &options.Host, "NAME": &options.Name, "TOKEN": &options.Token, "LOG": &options.Log,
		"CA_FILE": &options.CAFile,
	} {
		if said := environment("POLYNYA_" + name); said != "" {
			*option = said
		}
	}
	options.TLS = options.TLS || options.TLSConfig != nil
	if said := environment("POLYNYA_TLS"); said != "" {
		options.TLS = said != "0"
	}
	if said := environment("POLYNYA_GAMES"); said != "" {
		options.Games = strings.FieldsFunc(said, func(r rune) bool { return r == ',' || r == ' ' })
	}
	if said := environment("POLYNYA_CONCURRENCY"); said != "" {
		number, err := strconv.Atoi(said)
		if err != nil || number < 1 {
			return settings{}, fmt.Errorf("%w: POLYNYA_CONCURRENCY is a number of matches, from 1, not %q",
				ErrSettings, said)
		}
		options.Concurrency = number
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	if options.Host == "" {
		options.Host = "127.0.0.1"
	}
	if options.Wants == nil {
		options.Wants = []string{"state", "legal"}
	}
	if options.ReconnectFor == 0 {
		options.ReconnectFor = time.Minute
	}
	options.Concurrency = max(options.Concurrency, 1)
	var err error
	if options.ReconnectFor, err = readReconnect(environment("POLYNYA_RECONNECT"), options); err != nil {
		return settings{}, err
	}
	if options.Port, err = readPort(environment("POLYNYA_PORT"), options.Port); err != nil {
		return settings{}, err
	}
	servers, err := readAddresses(options.Host, options.Port)
	if err != nil {
		return settings{}, err
	}
	config, err := options.tlsConfig()
	if err != nil {
		return settings{}, err
	}
	read := settings{Options: options, servers: servers, tls: config, registration: newRegistration()}
	return read.withToken(environment)
}

// withToken takes the token that an earlier start has kept, if none was given.
func (s settings) withToken(environment func(string) string) (settings, error) {
	s.tokenFile = tokenPath(s.servers[0], s.Name, environment)
	named := environment("POLYNYA_TOKEN_FILE") != ""
	if environment("POLYNYA_TOKEN") != "" || (s.Token != "" && !named) {
		return s, nil
	}
	kept, err := readToken(s.tokenFile)
	if kept != "" {
		s.Token, s.tokenIsKept = kept, !named
	}
	return s, err
}

func readReconnect(environment string, options Options) (time.Duration, error) {
	switch seconds, err := strconv.ParseFloat(environment, 64); {
	case environment == "":
		return options.ReconnectFor, nil
	case environment == "forever":
		return math.MaxInt64, nil
	case err != nil || !(seconds >= 0):
		return 0, fmt.Errorf("%w: POLYNYA_RECONNECT is a number of seconds or forever, not %q",
			ErrSettings, environment)
	default:
		return time.Duration(min(seconds*float64(time.Second), float64(1<<62))), nil
	}
}

func readPort(environment string, option int) (int, error) {
	given := environment
	if given == "" {
		given = strconv.Itoa(option)
	}
	switch port, err := strconv.Atoi(given); {
	case given == "0" && environment == "":
		return 0, nil
	case err != nil || port < 1 || port > 65535:
		return 0, fmt.Errorf("%w: a port is a number from 1 to 65535, not %q", ErrSettings, given)
	default:
		return port, nil
	}
}

func (o Options) tlsConfig() (*tls.Config, error) {
	if !o.TLS {
		return nil, nil
	}
	if o.TLSConfig != nil {
		return o.TLSConfig, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CAFile == "" {
		return config, nil
	}
	authorities, err := os.ReadFile(o.CAFile)
	if err != nil {
		return nil, fmt.Errorf("%w: the authorities: %w", ErrSettings, err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(authorities) {
		return nil, fmt.Errorf("%w: there is no certificate in %s", ErrSettings, o.CAFile)
	}
	return config, nil
}

// hello is the message that introduces the bot, by the name and token in force.
func (s settings) hello() message {
	software := map[string]any{
		"name":     "polynya-client",
		"language": "Go " + strings.TrimPrefix(runtime.Version(), "go"),
	}
	hello := message{
		"type":        "hello",
		"protocol":    protocolVersion,
		"concurrency": s.Concurrency,
		"wants":       s.Wants,
		"software":    software,
		"max_frame":   serverMaxFrame,
	}
	setUnlessEmpty(hello, "name", s.Name)
	setUnlessEmpty(hello, "token", s.Token)
	if s.Token == "" {
		setUnlessEmpty(hello, "registration", s.registration)
	}
	setUnlessEmpty(software, "name", s.SoftwareName)
	setUnlessEmpty(software, "version", s.SoftwareVersion)
	if s.Games != nil {
		hello["games"] = s.Games
	}
	return hello
}

func setUnlessEmpty(m map[string]any, key, value string) {
	if value != "" {
		m[key] = value
	}
}
