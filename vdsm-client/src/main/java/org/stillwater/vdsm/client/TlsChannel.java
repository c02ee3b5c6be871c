package org.stillwater.vdsm.client;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSession;
import org.stillwater.vdsm.stomp.SegmentPool;

/**
 * TLS on a connected socket. An {@link javax.net.ssl.SSLSocket} reads each record of 16 KiB by two
 * reads, and copies it twice before the caller copies it again. Here one read takes several
 * records, and each is decrypted straight to where its octets belong.
 *
 * <p>The borrowed buffer has two parts: records as they came, and the octets of the one record that
 * does not belong to a body, or not wholly.
 *
 * <p>A host may renew keys at any time. The reader then behaves like an SSL socket: it computes and
 * sends the answer itself. So reader and writer share a lock for sending. An end without
 * close_notify is an end, as for an SSL socket; STOMP has its own.
 */
final class TlsChannel extends WireChannel {

    /** Records of one read, and the rest. */
    private static final int LENT_BYTES = 128 * 1_024;

    /** More than the longest record that the engine may produce at once, some 33 KiB. */
    private static final int REST_BYTES = 40 * 1_024;

    /** One record to send, which the engine wants as long as the longest. */
    private static final int SENT_BYTES = REST_BYTES;

    private final SSLEngine engine;
    private final OutputStream out;
    private final SegmentPool pool;
    private final ReentrantLock sending = new ReentrantLock();
    private final ByteBuffer[] targets = {NOTHING, NOTHING};
    private ByteBuffer records = NOTHING;
    private ByteBuffer rest = NOTHING;
    private boolean closed;

    /**
     * A connection before its handshake.
     *
     * @param engine of a client, with its parameters
     */
    TlsChannel(SSLEngine engine, InputStream in, OutputStream out, SegmentPool pool) {
        super(in, pool, LENT_BYTES);
        this.engine = engine;
        this.out = out;
        this.pool = pool;
    }

    /** Shakes hands, by the only thread at that time. */
    void handshake() throws IOException {
        try {
            engine.beginHandshake();
            while (true) {
                switch (engine.getHandshakeStatus()) {
                    case NEED_TASK, NEED_WRAP -> work();
                    case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> awaitHandshake();
                    case FINISHED, NOT_HANDSHAKING -> {
                        return;
                    }
                }
            }
        } catch (SSLException failed) {
            sendAlert();
            throw failed;
        }
    }

    private void awaitHandshake() throws IOException {
        boolean ended =
                switch (engine.unwrap(records, rest).getStatus()) {
                    case OK -> false;
                    case BUFFER_UNDERFLOW -> !fill();
                    case CLOSED -> true;
                    case BUFFER_OVERFLOW ->
                            throw new SSLException("octets before the end of the handshake");
                };
        if (ended) {
            throw new SSLHandshakeException(
                    "Remote host terminated the handshake",
                    new EOFException("SSL peer shut down incorrectly"));
        }
    }

    @Override
    int read(ByteBuffer body, boolean midFrame) throws IOException {
        if (!midFrame && !records.hasRemaining() && !moreIsThere()) {
            release();
        }
        try {
            int count = 0;
            while (count == 0) {
                count = decrypt(body);
                if (count == 0 && (closed || !fill())) {
                    return -1;
                }
            }
            return count;
        } catch (SSLException broken) {
            sendAlert();
            throw broken;
        }
    }

    /** Decrypts the received records, up to one that is not wholly of the body. */
    private int decrypt(ByteBuffer body) throws IOException {
        if (!hasBuffer()) {
            return 0;
        }
        rest.clear();
        targets[0] = body;
        targets[1] = rest;
        int count = 0;
        boolean more = !closed;
        while (more) {
            SSLEngineResult result = engine.unwrap(records, targets, 0, targets.length);
            count += result.bytesProduced();
            if (isDue(result.getHandshakeStatus())) {
                work();
            }
            closed = result.getStatus() == Status.CLOSED;
            more = result.getStatus() == Status.OK && rest.position() == 0;
        }
        rest.flip();
        targets[0] = NOTHING;
        return count;
    }

    /** Reads records, or parts of them; false when the host has closed. */
    private boolean fill() throws IOException {
        if (!hasBuffer()) {
            int count = readFirst();
            if (count < 0) {
                return false;
            }
            byte[] buffer = buffer();
            int border = buffer.length - REST_BYTES;
            records = ByteBuffer.wrap(buffer, 0, border).slice();
            rest = ByteBuffer.wrap(buffer, border, REST_BYTES).slice().limit(0);
            records.put(first(), 0, count).flip();
            return true;
        }
        records.compact();
        if (!records.hasRemaining()) {
            throw new SSLException("a record of more than " + records.capacity() + " bytes");
        }
        int count = read(records.array(), records.position(), records.remaining());
        records.position(records.position() + Math.max(count, 0)).flip();
        return count >= 0;
    }

    private static boolean isDue(HandshakeStatus status) {
        return status == HandshakeStatus.NEED_TASK || status == HandshakeStatus.NEED_WRAP;
    }

    /** Computes and sends this side's handshake messages, at the beginning or later. */
    private void work() throws IOException {
        byte[] buffer = pool.acquire(SENT_BYTES);
        sending.lock();
        try {
            boolean more = true;
            while (more && isDue(engine.getHandshakeStatus())) {
                Runnable task = engine.getDelegatedTask();
                if (task != null) {
                    task.run();
                } else {
                    more = send(NOTHING, buffer);
                }
            }
        } finally {
            sending.unlock();
            pool.release(buffer);
        }
    }

    /** Sends one record; false when there was none to send. The caller has the lock. */
    private boolean send(ByteBuffer octets, byte[] buffer) throws IOException {
        ByteBuffer record = ByteBuffer.wrap(buffer);
        SSLEngineResult result = engine.wrap(octets, record);
        out.write(buffer, 0, record.position());
        return record.position() > 0 || result.getHandshakeStatus() == HandshakeStatus.FINISHED;
    }

    /** Sends the host an alert with its error, if the connection still takes it. */
    private void sendAlert() {
        try {
            work();
        } catch (IOException ignored) {
            // The first failure is the one to report.
        }
    }

    @Override
    void release() {
        records = NOTHING;
        rest = NOTHING;
        super.release();
    }

    @Override
    ByteBuffer rest() {
        return rest;
    }

    @Override
    OutputStream output() {
        return new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                write(new byte[] {(byte) octet}, 0, 1);
            }

            @Override
            public void write(byte[] octets, int from, int count) throws IOException {
                encrypt(ByteBuffer.wrap(octets, from, count));
            }
        };
    }

    private void encrypt(ByteBuffer octets) throws IOException {
        byte[] buffer = pool.acquire(SENT_BYTES);
        sending.lock();
        try {
            while (octets.hasRemaining()) {
                if (engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
                    work();
                } else if (!send(octets, buffer) && engine.isOutboundDone()) {
                    throw new SSLException("the connection was closed for writing");
                }
            }
        } finally {
            sending.unlock();
            pool.release(buffer);
        }
    }

    /** The negotiated session. */
    SSLSession session() {
        return engine.getSession();
    }
}
