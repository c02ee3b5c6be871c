package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostTraits;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.report.HostHardware;
import org.stillwater.vdsm.stomp.StompFrame;

/** Hosts with an agent that needs the header {@code host} and one frame at a time. */
@Timeout(60)
class OlderAgentTest {

    private static final HostTraits OLDER = new HostTraits(false, false, false, true, "");
    private static final String HARDWARE = "{\"systemManufacturer\": \"m\"}";

    private static HostDefinition older(ScriptedHost host) {
        HostDefinition plain = host.definition();
        return new HostDefinition(
                plain.id(), plain.name(), plain.address(), plain.port(), ClusterId.DEFAULT, OLDER);
    }

    @Test
    void connectNamesTheHost() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine _ = new Engine(Engine.plain()).open(older(host))) {
            StompFrame connect = host.connection().frame("CONNECT");
            assertThat(connect.header("host")).isEqualTo("127.0.0.1");
            assertThat(connect.header("accept-version")).isEqualTo("1.2");
        }
    }

    @Test
    void eachFrameWaitsForTheAnswerToTheOneBefore() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = new Engine(Engine.plain()).open(older(host))) {
            ScriptedHost.Peer peer = subscribed(host, engine);
            engine.connection.hardware(engine.receiver());
            engine.connection.hardware(engine.receiver());

            ScriptedHost.Request first = peer.request();
            first.answer(HARDWARE);
            assertThat(engine.success()).isInstanceOf(HostHardware.class);
            peer.request().error("{\"code\": 99, \"message\": \"recovering\"}");
            assertThat(engine.failure()).isInstanceOf(HostFailure.Recovering.class);
        }
    }

    /** VDSM itself answers no SUBSCRIBE: the next frame waits for a short time only. */
    @Test
    void aSubscriptionThatIsNotAnsweredHoldsNothingUpForLong() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = new Engine(Engine.plain()).open(older(host))) {
            ScriptedHost.Peer peer = host.connection();
            peer.frame("CONNECT");
            peer.send("CONNECTED\nversion:1.2\nheart-beat:0,0\n\n\0");
            engine.expect("connected");
            engine.connection.hardware(engine.receiver());
            Duration patience = Engine.plain().timeouts().close();
            peer.frame("SUBSCRIBE");
            engine.time.advance(patience);
            peer.frame("SUBSCRIBE");
            engine.time.advance(patience);
            peer.request().answer(HARDWARE);
            assertThat(engine.success()).isInstanceOf(HostHardware.class);
        }
    }

    @Test
    void allThatWaitFailWithTheConnection() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = new Engine(Engine.plain()).open(older(host))) {
            ScriptedHost.Peer peer = subscribed(host, engine);
            for (int i = 0; i < 100; i++) {
                engine.connection.hardware(engine.receiver());
            }
            peer.request();
            peer.close();
            for (int i = 0; i < 100; i++) {
                assertThat(engine.failure()).isInstanceOf(HostFailure.Unreachable.class);
            }
        }
    }

    /** An agent that answers SUBSCRIBE, once with RECEIPT and once with ACK. */
    private static ScriptedHost.Peer subscribed(ScriptedHost host, Engine engine) throws Exception {
        ScriptedHost.Peer peer = host.connection();
        peer.frame("CONNECT");
        peer.send("CONNECTED\nversion:1.2\nheart-beat:0,0\n\n\0");
        engine.expect("connected");
        StompFrame events = peer.frame("SUBSCRIBE");
        peer.send("RECEIPT\nreceipt-id:" + events.header("receipt") + "\n\n\0");
        StompFrame replies = peer.frame("SUBSCRIBE");
        peer.send("ACK\nid:" + replies.header("id") + "\n\n\0");
        return peer;
    }
}
