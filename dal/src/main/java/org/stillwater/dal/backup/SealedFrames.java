package org.stillwater.dal.backup;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * AES-256-GCM over a stream of any length, in frames of at most {@value #FRAME} bytes. A frame's
 * nonce is its number and whether it is the last one, so that frames can neither be exchanged nor
 * left out, and a file that ends early is noticed. Confined to one thread.
 */
final class SealedFrames {

    static final int FRAME = 64 * 1024;

    private static final int TAG_BITS = 128;
    private static final int TAG_BYTES = TAG_BITS / 8;
    private static final int NONCE_BYTES = 12;
    private static final int LAST = 0x8000_0000;

    private SealedFrames() {}

    /** Encrypts into a stream; closing it writes the last frame. */
    static OutputStream output(OutputStream out, SecretKey key, byte[] header) {
        return new Output(out, key, header);
    }

    /** Decrypts a stream. */
    static InputStream input(InputStream in, SecretKey key, byte[] header) {
        return new Input(in, key, header);
    }

    private static Cipher cipher(int mode, SecretKey key, byte[] header, long number, boolean last)
            throws IOException {
        byte[] nonce =
                ByteBuffer.allocate(NONCE_BYTES).putLong(number).put((byte) (last ? 1 : 0)).array();
        try {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
            cipher.updateAAD(header);
            return cipher;
        } catch (GeneralSecurityException e) {
            throw new IOException("AES-GCM is not available: " + e.getMessage(), e);
        }
    }

    /** Encrypts; the last frame is written by {@link #close()}. */
    private static final class Output extends OutputStream {

        private final DataOutputStream out;
        private final SecretKey key;
        private final byte[] header;
        private final byte[] buffer = new byte[FRAME];
        private int filled;
        private long number;
        private boolean closed;

        Output(OutputStream out, SecretKey key, byte[] header) {
            this.out = new DataOutputStream(out);
            this.key = key;
            this.header = header.clone();
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            int at = from;
            int left = length;
            while (left > 0) {
                if (filled == FRAME) {
                    frame(false);
                }
                int some = Math.min(left, FRAME - filled);
                System.arraycopy(bytes, at, buffer, filled, some);
                filled += some;
                at += some;
                left -= some;
            }
        }

        private void frame(boolean last) throws IOException {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, key, header, number, last);
            try {
                byte[] sealed = cipher.doFinal(buffer, 0, filled);
                out.writeInt(filled | (last ? LAST : 0));
                out.write(sealed);
            } catch (GeneralSecurityException e) {
                throw new IOException("cannot encrypt: " + e.getMessage(), e);
            }
            number++;
            filled = 0;
        }

        @Override
        public void close() throws IOException {
            if (!closed) {
                closed = true;
                frame(true);
                out.close();
            }
        }
    }

    /** Decrypts; the end is accepted only after the last frame. */
    private static final class Input extends InputStream {

        private final DataInputStream in;
        private final SecretKey key;
        private final byte[] header;
        private byte[] frame = new byte[0];
        private int at;
        private long number;
        private boolean ended;

        Input(InputStream in, SecretKey key, byte[] header) {
            this.in = new DataInputStream(in);
            this.key = key;
            this.header = header.clone();
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            while (at == frame.length) {
                if (ended) {
                    return -1;
                }
                next();
            }
            int some = Math.min(length, frame.length - at);
            System.arraycopy(frame, at, bytes, from, some);
            at += some;
            return some;
        }

        private void next() throws IOException {
            int head;
            byte[] sealed;
            try {
                head = in.readInt();
                int length = head & ~LAST;
                if (length > FRAME) {
                    throw new IOException("it is damaged: a frame of " + length + " bytes");
                }
                sealed = in.readNBytes(length + TAG_BYTES);
                if (sealed.length < length + TAG_BYTES) {
                    throw new EOFException();
                }
            } catch (EOFException e) {
                throw new IOException("it ends early", e);
            }
            boolean last = (head & LAST) != 0;
            try {
                frame = cipher(Cipher.DECRYPT_MODE, key, header, number, last).doFinal(sealed);
            } catch (AEADBadTagException e) {
                throw new IOException(
                        number == 0
                                ? "the key is not the one it was made with, or it is damaged"
                                : "it is damaged",
                        e);
            } catch (GeneralSecurityException e) {
                throw new IOException("cannot decrypt: " + e.getMessage(), e);
            }
            at = 0;
            number++;
            if (last) {
                ended = true;
                if (in.read() >= 0) {
                    throw new IOException("it is damaged: bytes follow its end");
                }
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
