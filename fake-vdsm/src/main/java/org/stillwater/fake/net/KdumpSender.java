package org.stillwater.fake.net;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports, as fence_kdump_send does, that a host writes a kernel dump: one UDP packet of two
 * numbers of 32 bits, in the byte order of x86. No answer comes. Thread-safe.
 */
public final class KdumpSender {

    private static final Logger log = LoggerFactory.getLogger(KdumpSender.class);

    private static final int MAGIC = 0x1B302A40;
    private static final int VERSION = 1;

    private KdumpSender() {}

    /**
     * Sends one message. A message that cannot be sent is lost, as UDP may lose any message.
     *
     * @param from address of the host; null or a wildcard leaves it to the machine
     * @param to the listener
     */
    public static void send(@Nullable InetAddress from, InetSocketAddress to) {
        byte[] message =
                ByteBuffer.allocate(2 * Integer.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(MAGIC)
                        .putInt(VERSION)
                        .array();
        try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(from, 0))) {
            socket.send(new DatagramPacket(message, message.length, to));
        } catch (IOException e) {
            log.debug("a message of a kernel dump was not sent from {} to {}", from, to, e);
        }
    }
}
