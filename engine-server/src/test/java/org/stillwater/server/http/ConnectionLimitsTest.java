package org.stillwater.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import org.apache.coyote.Constants;
import org.apache.coyote.Request;
import org.apache.coyote.RequestInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.server.settings.HttpSettings;
import org.stillwater.testkit.VirtualClock;

/** The rest of a body, which Tomcat reads after the answer. */
class ConnectionLimitsTest {

    private static final HttpSettings SETTINGS =
            new Binder(new MapConfigurationPropertySource(Map.of()))
                    .bindOrCreate("stillwater.http", HttpSettings.class);
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final VirtualClock clock = new VirtualClock();
    private final ConnectionLimits limits =
            new ConnectionLimits(
                    SETTINGS,
                    clock,
                    new DefaultListableBeanFactory().getBeanProvider(MonitoringEngine.class));
    private final RequestInfo request = new Request().getRequestProcessor();
    private SocketChannel client;
    private SocketChannel connection;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            ServerSocketChannel _ =
                    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client = SocketChannel.open(server.getLocalAddress());
            connection = server.accept();
        }
        assertThat(connection.configureBlocking(false).isBlocking()).isFalse();
        assertThat(limits.opened(connection, "192.0.2.1")).isTrue();
    }

    @AfterEach
    void close() throws IOException {
        limits.closed(connection);
        connection.close();
        client.close();
    }

    /** Whether the reader of the connection sees an end, though its client has not hung up. */
    private boolean isInputEnded() throws IOException {
        return connection.read(ByteBuffer.allocate(1)) < 0;
    }

    private void sweepAfter(Duration time) {
        clock.advance(time);
        limits.sweep();
    }

    @Test
    void theRestOfABodyHasItsTimeInTotal() throws Exception {
        limits.reading(connection, request);
        request.setStage(Constants.STAGE_SERVICE);
        sweepAfter(SETTINGS.bodyTimeout().multipliedBy(3));
        request.setStage(Constants.STAGE_ENDINPUT);
        sweepAfter(SETTINGS.bodyTimeout().multipliedBy(3));
        sweepAfter(SETTINGS.bodyTimeout());
        assertThat(isInputEnded()).as("in time").isFalse();
        sweepAfter(MOMENT);
        assertThat(isInputEnded()).isTrue();
    }

    @Test
    void eachRequestHasATimeOfItsOwn() throws Exception {
        limits.reading(connection, request);
        request.setStage(Constants.STAGE_ENDINPUT);
        sweepAfter(MOMENT);
        request.setRequestCount(request.getRequestCount() + 1);
        sweepAfter(SETTINGS.bodyTimeout().plus(MOMENT));
        assertThat(isInputEnded()).as("that of another request").isFalse();
        sweepAfter(SETTINGS.bodyTimeout().plus(MOMENT));
        assertThat(isInputEnded()).isTrue();
    }

    @Test
    void aProcessorThatServesAnotherConnectionEndsNothingHere() throws Exception {
        limits.reading(connection, request);
        limits.read(connection, false, true);
        limits.ending(connection, request);
        request.setStage(Constants.STAGE_ENDINPUT);
        sweepAfter(MOMENT);
        limits.ending(connection, null);
        sweepAfter(SETTINGS.bodyTimeout().plus(MOMENT));
        assertThat(isInputEnded()).isFalse();
    }
}
