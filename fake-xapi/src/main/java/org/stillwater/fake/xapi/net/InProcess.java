package org.stillwater.fake.xapi.net;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import org.stillwater.fake.xapi.world.Pools;

/**
 * Answers requests as the servers do, without a socket: on the caller's thread and without waiting.
 * Latency and silence are left to the caller.
 */
public final class InProcess {

    /** An answer of HTTP. */
    public static final class Answer {

        private final int status;
        private final String contentType;
        private final byte[] body;

        private Answer(int status, String contentType, byte[] body) {
            this.status = status;
            this.contentType = contentType;
            this.body = body;
        }

        /** Its code. */
        public int status() {
            return status;
        }

        /** The type of its body. */
        public String contentType() {
            return contentType;
        }

        /** Its body, which may have been cut off. */
        public byte[] body() {
            return body.clone();
        }
    }

    private final Faults faults = new Faults();
    private final Router router;

    /** For the hosts of these pools. */
    public InProcess(Pools pools) {
        this.router = new Router(pools, faults);
    }

    /** The faults of the network. */
    public Faults faults() {
        return faults;
    }

    /**
     * Asks the host at an address.
     *
     * @param target path and query
     * @param accept acceptable type of the answer
     * @param body empty for a request that is no POST
     * @throws IOException if the host does not run, or closes the connection
     */
    public Answer ask(String address, String method, String target, String accept, byte[] body)
            throws IOException {
        if (!router.isLive(address)) {
            throw new IOException(address + " does not answer");
        }
        int mark = target.indexOf('?');
        HttpRequest request =
                new HttpRequest(
                        method,
                        mark < 0 ? target : target.substring(0, mark),
                        mark < 0 ? "" : target.substring(mark + 1),
                        Map.of("accept", accept),
                        body);
        Router.Route route = router.route(request);
        if (faults.strikes(FaultKind.RESET, address, route.name()) != null) {
            throw new IOException(address + " closes the connection");
        }
        Router.Answer answer = router.answer(address, request, route);
        if (!router.isLive(address)) {
            throw new IOException(address + " died meanwhile");
        }
        Faults.Fault truncate = faults.strikes(FaultKind.TRUNCATE, address, route.name());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        answer.body()
                .writeTo(
                        bytes,
                        truncate == null
                                ? answer.body().length()
                                : Long.parseLong(truncate.argument()));
        return new Answer(answer.status(), answer.contentType(), bytes.toByteArray());
    }
}
