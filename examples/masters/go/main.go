// Runs a command in some containers: a master of Heddle in Go, with the standard library alone.
//
//	master COUNT COMMAND...
//
// It finds the resource manager, its attempt and its token in its environment. What it may rely on: docs/operate/masters.md.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	retries = 3 // how many containers may fail
	askID   = "work"
)

type resource struct {
	MemoryMiB int `json:"memoryMiB"`
	Vcores    int `json:"vcores"`
}

type launch struct {
	Commands []string `json:"commands"`
}

type ask struct {
	AskID    string   `json:"askId"`
	Count    int      `json:"count"`
	Resource resource `json:"resource"`
	Launch   launch   `json:"launch"`
}

type container struct {
	ContainerID string `json:"containerId"`
	ExitCode    int    `json:"exitCode"`
	Diagnostics string `json:"diagnostics"`
}

type registration struct {
	ResponseID        int         `json:"responseId"`
	RunningContainers []container `json:"runningContainers"`
}

type allocateRequest struct {
	ResponseID int     `json:"responseId"`
	Progress   float64 `json:"progress"`
	Asks       []ask   `json:"asks,omitempty"`
}

type allocateAnswer struct {
	ResponseID  int         `json:"responseId"`
	Allocations []container `json:"allocations"`
	Completed   []container `json:"completed"`
	Command     string      `json:"command"`
}

var client = &http.Client{Timeout: 90 * time.Second}

// call makes one call of the master protocol. While nobody answers, the same call is sent again: that changes nothing.
func call(path string, body, answer any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	token, err := os.ReadFile(os.Getenv("HEDDLE_ATTEMPT_TOKEN_FILE"))
	if err != nil {
		return err
	}
	url := fmt.Sprintf("%s/api/v1/attempts/%s/%s", os.Getenv("HEDDLE_RESOURCE_MANAGER"), os.Getenv("HEDDLE_ATTEMPT_ID"), path)
	for ; ; time.Sleep(time.Second) {
		request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(sent))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			continue // Not there, or no longer: it comes back.
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode >= 500 {
			continue
		}
		if response.StatusCode >= 400 {
			return fmt.Errorf("%s: %d %s", path, response.StatusCode, text)
		}
		return json.Unmarshal(text, answer)
	}
}

// register registers. Another name each time; a repetition of the same call has the same one.
func register() (responseID int, running map[string]bool, err error) {
	name := rand.Text()
	var answer registration
	err = call("register", map[string]any{"host": "localhost", "rpcPort": -1, "registrationId": name}, &answer)
	running = map[string]bool{}
	for _, one := range answer.RunningContainers {
		running[one.ContainerID] = true
	}
	return answer.ResponseID, running, err
}

// run says whether count containers ran the command with success.
func run(count int, command string) (bool, error) {
	responseID, running, err := register()
	if err != nil {
		return false, err
	}
	succeeded, failed := 0, 0
	asks := true // whether the number of open requests has to be said (again)
	for succeeded < count && failed <= retries {
		body := allocateRequest{ResponseID: responseID, Progress: 100 * float64(succeeded) / float64(count)}
		if asks {
			line := command + " 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr"
			body.Asks = []ask{{askID, count - succeeded - len(running), resource{128, 1}, launch{[]string{line}}}}
		}
		var answer allocateAnswer
		if err := call("allocate?wait=30000", body, &answer); err != nil {
			return false, err
		}
		switch answer.Command {
		case "shutdown":
			return false, fmt.Errorf("the attempt is over")
		case "resync":
			// The resource manager was started anew: what is listed runs, or its end is told next; the rest is asked for again.
			if responseID, running, err = register(); err != nil {
				return false, err
			}
			asks = true
			continue
		}
		asks, responseID = false, answer.ResponseID
		for _, one := range answer.Allocations {
			running[one.ContainerID] = true
		}
		for _, one := range answer.Completed {
			delete(running, one.ContainerID)
			fmt.Printf("%s ended with %d %s\n", one.ContainerID, one.ExitCode, one.Diagnostics)
			if one.ExitCode == 0 {
				succeeded++
			} else {
				failed++
				asks = true
			}
		}
	}
	return succeeded >= count, nil
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "master COUNT COMMAND...")
		os.Exit(2)
	}
	count, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ok, err := run(count, strings.Join(os.Args[2:], " "))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := "SUCCEEDED"
	if !ok {
		status = "FAILED"
	}
	if err := call("finish", map[string]any{"finalStatus": status}, &struct{}{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if !ok {
		os.Exit(1)
	}
}
