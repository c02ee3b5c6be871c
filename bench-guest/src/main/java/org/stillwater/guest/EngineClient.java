package org.stillwater.guest;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Asks the engine for permits and posts results. It verifies the engine's certificate, follows no
 * redirects, and tries a few times. The token is in one header and in no message.
 */
final class EngineClient implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int TRIES = 5;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final int MOST_ANSWER_BYTES = 64 << 10;
    private static final int LONGEST_DETAIL = 300;
    private static final int LONGEST_TOKEN = 4_096;
    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");

    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int TOO_MANY = 429;
    private static final int SERVER_ERROR = 500;

    private final Posting posting;
    private final Pause pause;
    private final HttpClient client;
    private final String authorization;
    private final Duration patience;

    private EngineClient(
            Posting posting,
            Pause pause,
            HttpClient client,
            String authorization,
            Duration patience) {
        this.posting = posting;
        this.pause = pause;
        this.client = client;
        this.authorization = authorization;
        this.patience = patience;
    }

    /** A client, after a check of the token and the CA. */
    static EngineClient of(Posting posting, Pause pause) throws BenchmarkFailed {
        return of(posting, pause, PATIENCE);
    }

    /** The same, with the longest time to the head of each answer, and then to its end. */
    static EngineClient of(Posting posting, Pause pause, Duration patience) throws BenchmarkFailed {
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(patience);
        Path ca = posting.ca();
        if (ca != null) {
            builder.sslContext(trusting(ca));
        }
        return new EngineClient(
                posting, pause, builder.build(), "Bearer " + token(posting.tokenFile()), patience);
    }

    private static String token(Path file) throws BenchmarkFailed {
        String token;
        try (InputStream in = Files.newInputStream(file)) {
            token = new String(in.readNBytes(LONGEST_TOKEN), StandardCharsets.ISO_8859_1).strip();
        } catch (IOException e) {
            throw new BenchmarkFailed("cannot read the token of " + file);
        }
        if (!TOKEN.matcher(token).matches()) {
            throw new BenchmarkFailed(file + " has no token: one line of letters and digits");
        }
        return token;
    }

    private static SSLContext trusting(Path ca) throws BenchmarkFailed {
        try (InputStream in = Files.newInputStream(ca)) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            int number = 0;
            for (Certificate each :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                trusted.setCertificateEntry("ca-" + number++, each);
            }
            if (number == 0) {
                throw new BenchmarkFailed(ca + " has no certificate");
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new BenchmarkFailed("cannot read the CA of " + ca + ": " + e.getMessage());
        }
    }

    @Override
    public void close() {
        client.close();
    }

    /** Posts a report; the same one may be posted again. */
    void post(String report) throws EngineRefused, EngineAway, InterruptedException {
        String _ = send("/api/v1/benchmarks", report);
    }

    /** Asks whether a run may begin now. */
    Permit permit(Options options, Target target)
            throws EngineRefused, EngineAway, InterruptedException {
        Schedule schedule = posting.schedule();
        StringBuilder body = new StringBuilder("{");
        body.append(Json.quoted(target.kind()))
                .append(": ")
                .append(Json.quoted(target.id().toString()))
                .append(", \"seconds\": ")
                .append(options.mostSeconds());
        if (schedule != null) {
            body.append(", \"everySeconds\": ")
                    .append(schedule.every().toSeconds())
                    .append(", \"budgetSeconds\": ")
                    .append(schedule.budget().toSeconds());
        }
        String answer = send("/api/v1/benchmarks/permits", body.append('}').toString());
        try {
            if (Json.parse(answer) instanceof Map<?, ?> members
                    && members.get("granted") instanceof Boolean granted) {
                double seconds =
                        members.get("retryAfterSeconds") instanceof Double after ? after : 0;
                return new Permit(
                        granted,
                        clean(String.valueOf(members.get("text"))),
                        granted ? Duration.ZERO : Duration.ofSeconds((long) seconds));
            }
        } catch (IllegalArgumentException e) {
            // refused below
        }
        throw new EngineRefused(posting.engine() + " answers, but not as an engine does");
    }

    private String send(String path, String body)
            throws EngineRefused, EngineAway, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(posting.engine() + path))
                        .timeout(patience)
                        .header("Authorization", authorization)
                        .header("Content-Type", "application/json")
                        .header("Accept", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
        String trouble = "";
        Duration wait = FIRST_PAUSE;
        for (int i = 0; i < TRIES; i++) {
            if (i > 0) {
                pause.of(wait);
                wait = wait.multipliedBy(2);
            }
            try {
                HttpResponse<InputStream> answer =
                        client.send(request, HttpResponse.BodyHandlers.ofInputStream());
                String text = text(answer.body());
                int status = answer.statusCode();
                if (status == 200 || status == 201) {
                    return text;
                }
                if (status < SERVER_ERROR && status != TOO_MANY) {
                    throw new EngineRefused(refusal(status, text));
                }
                trouble = "it answers " + status + detail(text);
            } catch (SSLException e) {
                trouble = clean(String.valueOf(e.getMessage()));
                if (isOfCertificate(e)) {
                    throw new EngineRefused(
                            "cannot trust "
                                    + posting.engine()
                                    + ": "
                                    + trouble
                                    + "; --ca names the CA of the engine");
                }
            } catch (ConnectException e) {
                trouble = "it cannot be reached";
            } catch (IOException e) {
                trouble = clean(String.valueOf(e.getMessage()));
            }
        }
        throw new EngineAway(
                posting.engine() + " did not take it in " + TRIES + " tries: " + trouble);
    }

    /** Whether the certificate is refused: a broken connection is a failure of TLS, too. */
    private static boolean isOfCertificate(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof CertificateException) {
                return true;
            }
        }
        return false;
    }

    /** The request's own time limit ends with the head of the answer. */
    private String text(InputStream answer) throws IOException, InterruptedException {
        FutureTask<byte[]> reading = new FutureTask<>(() -> answer.readNBytes(MOST_ANSWER_BYTES));
        try (answer) {
            Thread _ = Thread.ofVirtual().name("engine-answer").start(reading);
            byte[] body = reading.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return new String(body, StandardCharsets.UTF_8);
        } catch (TimeoutException e) {
            throw new IOException("its answer has no end", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private String refusal(int status, String text) {
        return switch (status) {
            case UNAUTHORIZED ->
                    posting.engine() + " does not accept the token of " + posting.tokenFile();
            case FORBIDDEN ->
                    posting.engine()
                            + " forbids it: the token needs the role benchmarker of this machine"
                            + detail(text);
            default -> posting.engine() + " refuses it with " + status + detail(text);
        };
    }

    /** The detail of a problem document. */
    private static String detail(String text) {
        try {
            if (Json.parse(text) instanceof Map<?, ?> members
                    && members.get("detail") instanceof String detail) {
                return ": " + clean(detail);
            }
        } catch (IllegalArgumentException e) {
            // no problem document
        }
        return "";
    }

    /** Text of a server is printed on a terminal. */
    private static String clean(@Nullable String text) {
        String plain = text == null ? "" : text.replaceAll("\\p{Cntrl}+", " ").strip();
        return plain.length() <= LONGEST_DETAIL ? plain : plain.substring(0, LONGEST_DETAIL) + "…";
    }
}
