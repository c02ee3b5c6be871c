package org.stillwater.relay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.shaded.io.netty.buffer.PooledByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.handler.ssl.OpenSsl;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NettyPropertiesTest {

    private static final String ORDER = "io.grpc.netty.shaded.io.netty.allocator.maxOrder";

    @Test
    @DisplayName(
            "the transport that a relay uses knows its properties, and keeps those of the user")
    void transport() {
        String before = System.getProperty(ORDER);
        System.setProperty(ORDER, "4");
        try {
            NettyProperties.set();
            assertThat(System.getProperty(ORDER)).isEqualTo("4");
            assertThat(OpenSsl.isAvailable()).isFalse();
            assertThat(Epoll.isAvailable()).isFalse();
            assertThat(PooledByteBufAllocator.defaultMaxOrder()).isEqualTo(4);
        } finally {
            if (before == null) {
                System.clearProperty(ORDER);
            } else {
                System.setProperty(ORDER, before);
            }
        }
    }
}
