package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The requests of a load of the console, as a browser sends them, by a plain client: the document,
 * the files and the first rows that it names at the same time, then the stream until its snapshot
 * ends. These times do not include the browser's own work. One thread.
 */
final class LoadRequests {

    private static final int ROUNDS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final byte[] END = "event: snapshot-end".getBytes(StandardCharsets.UTF_8);

    private static final Pattern FILE =
            Pattern.compile("(?:href|src)=\"((?:console/|api/[^\"]+\\?)[^\"]+)\"");

    private final Http http;
    private final HarnessClock clock;
    private final PrintStream out;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    LoadRequests(Http http, HarnessClock clock, PrintStream out) {
        this.http = http;
        this.clock = clock;
        this.out = out;
    }

    /** Loads several times; the first time the engine has answered no such request. */
    void measure() throws IOException, InterruptedException {
        for (int round = 1; round <= ROUNDS; round++) {
            out.println("Load " + round + ", milliseconds since its begin:");
            load();
        }
    }

    private void load() throws IOException, InterruptedException {
        long begun = clock.nanoTime();
        String document = client.send(request("/").build(), BodyHandlers.ofString()).body();
        line("/", begun, document.length());
        List<CompletableFuture<HttpResponse<byte[]>>> all = new ArrayList<>();
        Matcher file = FILE.matcher(document);
        while (file.find()) {
            String path = "/" + file.group(1).replace("&amp;", "&");
            all.add(
                    client.sendAsync(
                                    request(path).header("Accept-Encoding", "gzip").build(),
                                    BodyHandlers.ofByteArray())
                            .whenComplete((answer, _) -> {
                                if (answer != null) {
                                    line(path, begun, answer.body().length);
                                }
                            }));
        }
        for (CompletableFuture<HttpResponse<byte[]>> each : all) {
            if (each.join().statusCode() != 200) {
                throw new BenchFailure("an answer was " + each.join().statusCode());
            }
        }
        HttpResponse<InputStream> stream =
                client.send(request(ConsoleRun.STREAM).build(), BodyHandlers.ofInputStream());
        try (InputStream in = stream.body()) {
            line("the stream's first byte", begun, 0);
            line("the end of its snapshot", begun, readSnapshot(in));
        }
    }

    /** Reads until the snapshot has ended; how many bytes that were. */
    private static long readSnapshot(InputStream in) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        long bytes = 0;
        int matched = 0;
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            bytes += read;
            for (int i = 0; i < read; i++) {
                matched = buffer[i] == END[matched] ? matched + 1 : buffer[i] == END[0] ? 1 : 0;
                if (matched == END.length) {
                    return bytes;
                }
            }
        }
        throw new BenchFailure("the stream ended within its snapshot");
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http.port() + path))
                .timeout(PATIENCE);
    }

    private void line(String what, long begun, long bytes) {
        out.printf(
                Locale.ROOT,
                "  %6.0f %s, %d bytes%n",
                (clock.nanoTime() - begun) / 1e6,
                what.length() > 60 ? what.substring(0, 60) : what,
                bytes);
    }
}
