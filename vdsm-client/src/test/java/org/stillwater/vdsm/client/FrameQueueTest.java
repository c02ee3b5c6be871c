package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FrameQueueTest {

    private static final Duration SHORT = Duration.ofMillis(500);

    private final VirtualTime time = new VirtualTime();
    private final List<String> sent = new ArrayList<>();
    private final List<String> unsent = new ArrayList<>();
    private boolean takes = true;
    private final FrameQueue turns = new FrameQueue(this::take, time, this::failed);

    private boolean take(byte[] frame) {
        if (takes) {
            sent.add(new String(frame, UTF_8));
        }
        return takes;
    }

    private void failed(String key) {
        unsent.add(key);
        turns.over(key);
    }

    private void send(String frame) {
        turns.send(frame, frame.getBytes(UTF_8), null);
    }

    @Test
    void aFrameWaitsForTheAnswerToTheOneBefore() {
        send("first");
        send("second");
        send("third");
        assertThat(sent).containsExactly("first");
        turns.over("first");
        assertThat(sent).containsExactly("first", "second");
        turns.over("an answer to nothing");
        assertThat(sent).containsExactly("first", "second");
        turns.over("second");
        turns.over("third");
        send("fourth");
        assertThat(sent).containsExactly("first", "second", "third", "fourth");
    }

    @Test
    void aFrameThatIsGivenUpWhileItWaitsIsNotSent() {
        send("first");
        send("second");
        send("third");
        turns.over("second");
        turns.over("first");
        assertThat(sent).containsExactly("first", "third");
    }

    @Test
    void aFrameThatNeedNotBeAnsweredHoldsTheOthersUpForAWhileFromItsOwnTurnOn() {
        turns.send("events", "events".getBytes(UTF_8), SHORT);
        turns.send("replies", "replies".getBytes(UTF_8), SHORT);
        send("call");
        time.advance(SHORT);
        assertThat(sent).containsExactly("events", "replies");
        time.advance(SHORT.minusMillis(1));
        assertThat(sent).containsExactly("events", "replies");
        time.advance(Duration.ofMillis(1));
        assertThat(sent).containsExactly("events", "replies", "call");
    }

    @Test
    void allUnsentFramesAreReported() {
        takes = false;
        turns.send("events", "events".getBytes(UTF_8), SHORT);
        assertThat(unsent).containsExactly("events");
        takes = true;
        send("first");
        for (int i = 0; i < 10_000; i++) {
            send("call " + i);
        }
        takes = false;
        turns.over("first");
        assertThat(unsent).hasSize(10_001).startsWith("events", "call 0").endsWith("call 9999");
    }
}
