// Package polynya connects a bot to a Polynya server: write one function that chooses the steps of
// a turn, and call Main.
package polynya
