package org.stillwater.fake.net;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Bodies between two texts, with a comma after each but the last. Immutable. */
final class Envelope implements JsonBody {

    private static final byte[] COMMA = {',', ' '};

    private final byte[] start;
    private final List<JsonBody> bodies;
    private final byte[] end;
    private final int length;

    Envelope(String start, List<JsonBody> bodies, String end) {
        this.start = start.getBytes(StandardCharsets.UTF_8);
        this.bodies = List.copyOf(bodies);
        this.end = end.getBytes(StandardCharsets.UTF_8);
        int sum = this.start.length + this.end.length + COMMA.length * (bodies.size() - 1);
        for (JsonBody body : bodies) {
            sum = Math.addExact(sum, body.length());
        }
        this.length = sum;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        out.write(start);
        boolean first = true;
        for (JsonBody body : bodies) {
            if (!first) {
                out.write(COMMA);
            }
            first = false;
            body.writeTo(out);
        }
        out.write(end);
    }
}
