package org.stillwater.server.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/** Tomcat's port with {@link ConnectionLimits}. Thread-safe, as Tomcat's is. */
final class LimitedEndpoint extends NioEndpoint {

    private volatile @Nullable ConnectionLimits limits;

    /** From now on these limits count. */
    void limit(ConnectionLimits by) {
        limits = by;
    }

    @Nullable ConnectionLimits limits() {
        return limits;
    }

    @Override
    protected boolean setSocketOptions(SocketChannel socket) {
        ConnectionLimits by = limits;
        if (by == null) {
            return super.setSocketOptions(socket);
        }
        if (!by.opened(socket, address(socket))) {
            destroySocket(socket);
            return false;
        }
        boolean taken = super.setSocketOptions(socket);
        if (!taken) {
            by.closed(socket);
        }
        return taken;
    }

    private static String address(SocketChannel socket) {
        try {
            return socket.getRemoteAddress() instanceof InetSocketAddress remote
                    ? remote.getAddress().getHostAddress()
                    : "";
        } catch (IOException _) {
            return ""; // it is closed already
        }
    }

    /** The channel of a connection; null if it is closed. */
    static @Nullable SocketChannel channel(@Nullable SocketWrapperBase<?> connection) {
        return connection != null && connection.getSocket() instanceof NioChannel channel
                ? channel.getIOChannel()
                : null;
    }

    @Override
    public void setHandler(Handler<NioChannel> handler) {
        super.setHandler(new Watched(handler));
    }

    /** The protocol's handler, which reports when a connection ends or is no HTTP/1.1. */
    private final class Watched implements Handler<NioChannel> {

        private final Handler<NioChannel> handler;

        Watched(Handler<NioChannel> handler) {
            this.handler = handler;
        }

        @Override
        public SocketState process(SocketWrapperBase<NioChannel> connection, SocketEvent event) {
            SocketChannel channel = channel(connection);
            SocketState state = handler.process(connection, event);
            ConnectionLimits by = limits;
            if (by != null && channel != null && isUpgraded(state)) {
                by.read(channel, false, false);
            }
            return state;
        }

        /** The latter stands for HTTP/2: its frames are read by completion handlers. */
        private static boolean isUpgraded(SocketState state) {
            return state == SocketState.UPGRADED || state == SocketState.ASYNC_IO;
        }

        @Override
        public Object getGlobal() {
            return handler.getGlobal();
        }

        @Override
        public void release(SocketWrapperBase<NioChannel> connection) {
            SocketChannel channel = channel(connection);
            ConnectionLimits by = limits;
            if (by != null && channel != null) {
                by.closed(channel);
            }
            handler.release(connection);
        }

        @Override
        public void pause() {
            handler.pause();
        }

        @Override
        public void recycle() {
            handler.recycle();
        }
    }
}
