package org.stillwater.xapi.client;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import org.stillwater.xapi.client.Decoder.Result;

/** Calls as requests, and their replies. */
final class Http implements AutoCloseable {

    private final Transport transport;
    private volatile boolean repairs;

    Http(Transport transport) {
        this.transport = transport;
    }

    /** Calls one host. */
    <T> T call(
            String address,
            XapiEncoding encoding,
            String method,
            List<?> arguments,
            Duration timeout,
            Result<T> result)
            throws IOException {
        Transport.Answer answer =
                transport.post(
                        address,
                        encoding.path(),
                        encoding.contentType(),
                        CallWriter.write(encoding, method, arguments),
                        timeout);
        try (InputStream body = repairs ? new Utf8Repair(answer.body()) : answer.body()) {
            if (answer.status() != 200
                    || !answer.contentType().startsWith(encoding.contentType())) {
                throw new XapiException.Protocol(
                        address + " answers " + answer.status() + " " + answer.contentType(), null);
            }
            return Replies.read(encoding, body, result);
        }
    }

    /** From now on bytes that are no UTF-8 cost no reply. */
    void repairTexts() {
        repairs = true;
    }

    /** Reads a URL that is no call. */
    Transport.Answer get(String address, String path, String accept, Duration timeout)
            throws IOException {
        return transport.get(address, path, accept, timeout);
    }

    /** Ends the calls of a host that accepts no connection now. */
    void endIfUnreachable(String address) {
        transport.endIfUnreachable(address);
    }

    @Override
    public void close() {
        transport.close();
    }
}
