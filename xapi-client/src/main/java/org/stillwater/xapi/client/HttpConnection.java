package org.stillwater.xapi.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a host by HTTP/1.1, one exchange after the other, on the caller's thread: a reply
 * wakes the thread that waits for it, and no other. An interrupt closes the connection. Not
 * thread-safe, except for {@link #close}.
 *
 * <p>It is long because head, body and end of a reply share one buffer.
 */
final class HttpConnection implements Closeable {

    private static final int BUFFER_BYTES = 1 << 13;
    private static final int MOST_HEAD_BYTES = 1 << 16;

    /** A rest of a body that is read so that the connection can be used again. */
    private static final int MOST_REST_BYTES = 1 << 16;

    private final String address;
    private final SocketChannel channel;
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int at;
    private int limit;

    /** Whether a byte of the present reply has arrived. */
    private boolean answered;

    /** Called at the end of an exchange. */
    @FunctionalInterface
    interface Ended {
        /**
         * The body was read, or its reader gave up.
         *
         * @param reusable whether another exchange may follow; otherwise the connection is closed
         */
        void ended(boolean reusable);
    }

    /** The peer closed the connection before it answered; it may not have seen the request. */
    static final class Unanswered extends IOException {

        private static final long serialVersionUID = 1L;

        Unanswered(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    private HttpConnection(String address, SocketChannel channel, Socket socket)
            throws IOException {
        this.address = address;
        this.channel = channel;
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    /**
     * Connects.
     *
     * @param tls null for none
     * @param connectTimeout until the host accepts
     * @param timeout until it has agreed on a key
     * @throws XapiException.Untrusted if the host is not the one that it should be
     */
    static HttpConnection open(
            String address,
            int port,
            @Nullable SSLContext tls,
            Duration connectTimeout,
            Duration timeout)
            throws IOException {
        SocketChannel channel = SocketChannel.open();
        boolean opened = false;
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Socket socket = channel.socket();
            InetSocketAddress peer = new InetSocketAddress(address, port);
            if (peer.isUnresolved()) {
                throw new UnknownHostException(address);
            }
            socket.connect(peer, millis(connectTimeout));
            if (tls != null) {
                socket.setSoTimeout(millis(timeout));
                socket = secured(tls, socket, address, port);
            }
            HttpConnection connection = new HttpConnection(address, channel, socket);
            opened = true;
            return connection;
        } catch (SSLException e) {
            if (e.getCause() instanceof IOException broken && !(broken instanceof SSLException)) {
                throw stoppedOr(broken, address);
            }
            throw new XapiException.Untrusted(address + ": " + words(e), e);
        } catch (IOException e) {
            throw stoppedOr(e, address);
        } finally {
            if (!opened) {
                channel.close();
            }
        }
    }

    /** Servers of 2016 have no cipher that Java uses without a change of its settings. */
    private static String words(SSLException e) {
        String message = String.valueOf(e.getMessage());
        return message.contains("handshake_failure") || message.contains("protocol_version")
                ? "it supports no TLS version or cipher that this engine uses (" + message + ")"
                : message;
    }

    private static Socket secured(SSLContext tls, Socket plain, String address, int port)
            throws IOException {
        SSLSocket socket =
                (SSLSocket) tls.getSocketFactory().createSocket(plain, address, port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS"); // counts if there are authorities
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    /** At least one, because 0 would be no limit. */
    private static int millis(Duration time) {
        return Math.clamp(time.toMillis(), 1, Integer.MAX_VALUE);
    }

    /** An interrupt closes the channel, which surfaces in several forms. */
    private static IOException stoppedOr(IOException e, String address) {
        if (Thread.currentThread().isInterrupted()) {
            InterruptedIOException stopped = new InterruptedIOException("stopped");
            stopped.initCause(e);
            return stopped;
        }
        return e instanceof SocketTimeoutException
                ? new XapiException.Unreachable(address + " does not answer in time", e)
                : e;
    }

    /** The host, as it was dialled. */
    String address() {
        return address;
    }

    // ------------------------------------------------------------------------------- exchanges

    /**
     * Whether the peer has not closed the connection, as far as this end knows; takes a
     * millisecond.
     */
    boolean isOpen() {
        try {
            socket.setSoTimeout(1);
            int _ = in.read();
            return false; // closed, or something that was not requested
        } catch (SocketTimeoutException _) {
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /**
     * Sends a request and waits until its answer begins.
     *
     * @param timeout for the answer's beginning, and for each of its pieces
     */
    Transport.Answer exchange(byte[] request, Duration timeout, Ended ended) throws IOException {
        answered = false;
        socket.setSoTimeout(millis(timeout));
        try {
            out.write(request);
        } catch (IOException e) {
            IOException stopped = stoppedOr(e, address);
            throw stopped instanceof InterruptedIOException
                    ? stopped
                    : new Unanswered(address + " takes no request", e);
        }
        Head head;
        do {
            head = new Head();
            head.read();
        } while (head.status / 100 == 1);
        return new Transport.Answer(head.status, head.contentType, new Body(head, ended));
    }

    /** Fills the empty buffer; false at the end of the stream. */
    private boolean fill() throws IOException {
        at = 0;
        limit = Math.max(0, receive(buffer, 0, buffer.length));
        return limit > 0;
    }

    private int receive(byte[] into, int offset, int length) throws IOException {
        try {
            int read = in.read(into, offset, length);
            if (read < 0 && !answered) {
                throw new Unanswered(address + " closes the connection", null);
            }
            answered = true;
            return read;
        } catch (SocketTimeoutException e) {
            throw stoppedOr(e, address);
        } catch (Unanswered e) {
            throw e;
        } catch (IOException e) {
            IOException stopped = stoppedOr(e, address);
            throw answered || stopped instanceof InterruptedIOException
                    ? stopped
                    : new Unanswered(address + " breaks the connection", e);
        }
    }

    /** Bytes of the reply; -1 at the end of the stream. Large pieces are not copied. */
    private int take(byte[] into, int offset, int length) throws IOException {
        if (at == limit) {
            if (length >= BUFFER_BYTES) {
                return receive(into, offset, length);
            }
            if (!fill()) {
                return -1;
            }
        }
        int count = Math.min(length, limit - at);
        System.arraycopy(buffer, at, into, offset, count);
        at += count;
        return count;
    }

    private XapiException.Unreachable cutOff() {
        return new XapiException.Unreachable(
                address + " closes the connection within a reply", null);
    }

    private XapiException.Protocol noHttp(String what) {
        return new XapiException.Protocol(address + " answers no HTTP: " + what, null);
    }

    /** A line without its end. */
    private String line(int most) throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            if (at == limit && !fill()) {
                throw cutOff();
            }
            int b = buffer[at++] & 0xFF;
            if (b == '\n') {
                int length = line.length();
                if (length > 0 && line.charAt(length - 1) == '\r') {
                    line.setLength(length - 1);
                }
                return line.toString();
            }
            if (line.length() >= most) {
                throw noHttp("a line is too long");
            }
            line.append((char) b);
        }
    }

    /** The head of a message, before the body. */
    private final class Head {
        private int status;
        private String contentType = "";
        private boolean chunked;
        private long length = -1;
        private boolean keepsOpen;

        void read() throws IOException {
            String first = line(MOST_HEAD_BYTES);
            String[] words = first.split(" ", 3);
            if (!first.startsWith("HTTP/1.") || words.length < 2) {
                throw noHttp(first);
            }
            status = (int) Math.min(number(words[1], 10), 999);
            keepsOpen = words[0].equals("HTTP/1.1");
            int left = MOST_HEAD_BYTES;
            for (String line = line(left); !line.isEmpty(); line = line(left)) {
                left = Math.max(0, left - line.length());
                int colon = line.indexOf(':');
                if (colon > 0) {
                    header(
                            line.substring(0, colon).toLowerCase(Locale.ROOT),
                            line.substring(colon + 1).strip());
                }
            }
        }

        private void header(String name, String value) throws XapiException.Protocol {
            switch (name) {
                case "content-type" -> contentType = value;
                case "content-length" -> length = number(value, 10);
                case "transfer-encoding" -> chunked |= value.equalsIgnoreCase("chunked");
                case "connection" -> keepsOpen &= !value.equalsIgnoreCase("close");
                default -> {
                    // Not needed.
                }
            }
        }

        /** Whether the body ends only with the connection. */
        boolean isEndless() {
            return !chunked && length < 0 && status != 204 && status != 304;
        }
    }

    private long number(String text, int radix) throws XapiException.Protocol {
        try {
            long number = Long.parseLong(text, radix);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Below.
        }
        throw noHttp("no number: " + text);
    }

    /** The body of a reply, up to its end. */
    private final class Body extends InputStream {
        private final Head head;
        private final Ended ended;

        /** Bytes that are left of the body, or of a chunk of it. */
        private long left;

        private boolean over;

        /** Whether a read has failed; no further read is tried. */
        private boolean broken;

        Body(Head head, Ended ended) {
            this.head = head;
            this.ended = ended;
            this.left =
                    head.isEndless() ? Long.MAX_VALUE : head.chunked ? 0 : Math.max(0, head.length);
            if (left == 0 && !head.chunked) {
                finish(head.keepsOpen);
            }
        }

        private void finish(boolean keepsOpen) {
            over = true;
            boolean reusable = keepsOpen && at == limit; // nothing comes that was not requested
            if (!reusable) {
                HttpConnection.this.close();
            }
            ended.ended(reusable);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            broken = true;
            int read = readSome(into, offset, length);
            broken = false;
            return read;
        }

        private int readSome(byte[] into, int offset, int length) throws IOException {
            if (!over && left == 0 && head.chunked) {
                nextChunk();
            }
            if (over) {
                return -1;
            }
            int read = take(into, offset, (int) Math.min(length, left));
            if (read < 0) {
                if (!head.isEndless()) {
                    throw cutOff();
                }
                finish(false);
                return -1;
            }
            left -= read;
            if (left == 0) {
                if (head.chunked) {
                    endOfChunk();
                } else {
                    finish(head.keepsOpen);
                }
            }
            return read;
        }

        private void nextChunk() throws IOException {
            String size = line(MOST_HEAD_BYTES);
            int extension = size.indexOf(';');
            left = number((extension < 0 ? size : size.substring(0, extension)).strip(), 16);
            if (left == 0) {
                while (!line(MOST_HEAD_BYTES).isEmpty()) {
                    // Trailers.
                }
                finish(head.keepsOpen);
            }
        }

        private void endOfChunk() throws IOException {
            if (!line(MOST_HEAD_BYTES).isEmpty()) {
                throw noHttp("a chunk is too long");
            }
        }

        /** Reads a small rest; after a large one the connection closes. */
        @Override
        public void close() {
            if (over) {
                return;
            }
            try {
                if (!broken && head.keepsOpen && !head.isEndless() && left <= MOST_REST_BYTES) {
                    byte[] rest = new byte[BUFFER_BYTES];
                    for (int sum = 0; !over && sum < MOST_REST_BYTES; ) {
                        sum += Math.max(0, read(rest, 0, rest.length));
                    }
                }
            } catch (IOException _) {
                // It closes.
            }
            if (!over) {
                finish(false);
            }
        }
    }

    /** Closes without a farewell; another thread that reads sees an error. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException _) {
            // Nothing is held now.
        }
    }

    /**
     * A request.
     *
     * @param authority host and port as the header {@code Host} has them
     * @param headers lines that end with CR LF
     */
    static byte[] request(String method, String path, String authority, String headers, byte[] body)
            throws XapiException.Protocol {
        for (int i = 0; i < path.length(); i++) {
            if (path.charAt(i) <= ' ' || path.charAt(i) > '~') {
                throw new XapiException.Protocol("no path: " + path, null);
            }
        }
        String length = method.equals("POST") ? "Content-Length: " + body.length + "\r\n" : "";
        byte[] head =
                (method
                                + " "
                                + path
                                + " HTTP/1.1\r\nHost: "
                                + authority
                                + "\r\n"
                                + headers
                                + length
                                + "\r\n")
                        .getBytes(StandardCharsets.ISO_8859_1);
        byte[] request = new byte[head.length + body.length];
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        return request;
    }
}
