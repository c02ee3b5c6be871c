package org.stillwater.server.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sends the requests of a recording to an engine, one after another, and checks the answers. Values
 * of answers are kept for later requests. Used by one thread.
 */
public final class Replay {

    private static final String CHUNKS = "Transfer-Encoding";
    private static final Pattern VARIABLE = Pattern.compile("\\{\\{([a-z0-9-]+)}}");

    private final HttpClient http;
    private final String address;
    private final Map<String, String> variables;
    private final Patience patience;

    /** Looks again and again, within a bound, until something holds. */
    @FunctionalInterface
    public interface Patience {

        /** Returns when it holds; fails with the message otherwise. */
        void await(BooleanSupplier holds, Supplier<String> otherwise);
    }

    /**
     * A replay.
     *
     * @param address where the engine is, without a path
     * @param variables variables for requests before the first answer
     */
    public Replay(
            HttpClient http, String address, Map<String, String> variables, Patience patience) {
        this.http = http;
        this.address = address;
        this.variables = new HashMap<>(variables);
        this.patience = patience;
    }

    /** Sends a request and checks its answer. */
    public void play(Exchange exchange) {
        HttpRequest request = request(exchange);
        AtomicReference<Reply> reply = new AtomicReference<>(send(request));
        for (Check check : exchange.checks()) {
            if (check instanceof Check.Until || check instanceof Check.UntilStatus) {
                patience.await(
                        () -> holds(check, reply.get()) || holds(check, again(request, reply)),
                        () -> check + ", but " + reply.get());
            }
        }
        for (Check check : exchange.checks()) {
            check(check, exchange, reply.get());
        }
    }

    private HttpRequest request(Exchange exchange) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(address + filled(exchange.path())))
                        .method(exchange.method(), body(exchange));
        exchange.headers()
                .forEach((name, value) -> {
                    switch (name) {
                        case CHUNKS -> {
                            // the body reports it
                        }
                        case "Expect" -> request.expectContinue(true);
                        default -> request.header(name, filled(value));
                    }
                });
        return request.build();
    }

    /** With its length, unless the client sends chunks. */
    private HttpRequest.BodyPublisher body(Exchange exchange) {
        String body = filled(exchange.body());
        if (body.isEmpty()) {
            return HttpRequest.BodyPublishers.noBody();
        }
        return exchange.headers().containsKey(CHUNKS)
                ? HttpRequest.BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)))
                : HttpRequest.BodyPublishers.ofString(body);
    }

    private String filled(String text) {
        return VARIABLE.matcher(text)
                .replaceAll(found -> {
                    String value = variables.get(found.group(1));
                    if (value == null) {
                        throw new AssertionError("no answer before has given " + found.group());
                    }
                    return Matcher.quoteReplacement(value);
                });
    }

    private Reply send(HttpRequest request) {
        try {
            return new Reply(http.send(request, HttpResponse.BodyHandlers.ofByteArray()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Reply again(HttpRequest request, AtomicReference<Reply> reply) {
        Reply next = send(request);
        reply.set(next);
        return next;
    }

    private boolean holds(Check check, Reply reply) {
        if (check instanceof Check.UntilStatus(int status)) {
            return reply.status() == status;
        }
        return check instanceof Check.Until(String place, String value)
                && reply.status() == 200
                && reply.at(place).contains(filled(value));
    }

    private void check(Check check, Exchange exchange, Reply reply) {
        String told = "%s %s: %s".formatted(exchange.method(), exchange.path(), reply);
        switch (check) {
            case Check.Status(List<Integer> allowed) ->
                    assertThat(reply.status()).as(told).isIn(allowed);
            case Check.Present(String place) ->
                    assertThat(reply.at(place)).as("%s in %s", place, told).isNotEmpty();
            case Check.Absent(String place) ->
                    assertThat(reply.at(place)).as("%s in %s", place, told).isEmpty();
            case Check.Equal(String place, String value) ->
                    assertThat(reply.at(place)).as("%s in %s", place, told).contains(filled(value));
            case Check.Matching(String place, Pattern pattern) ->
                    assertThat(reply.at(place))
                            .as("%s in %s", place, told)
                            .anyMatch(value -> pattern.matcher(value).matches());
            case Check.Kept(String place, String variable) -> {
                List<String> values = reply.at(place);
                assertThat(values).as("%s in %s", place, told).isNotEmpty();
                variables.put(variable, values.getFirst());
            }
            case Check.HeaderMatching(String header, Pattern pattern) ->
                    assertThat(reply.header(header)).as("%s of %s", header, told).matches(pattern);
            case Check.Text(Pattern pattern) ->
                    assertThat(reply.text()).as(told).containsPattern(pattern);
            case Check.Refused(String detail) -> refused(detail, exchange, reply, told);
            case Check.Until _, Check.UntilStatus _ -> {
                // it holds by now
            }
        }
    }

    /**
     * A fault has to be one that the client can read: in its media type, with reason and detail.
     */
    private void refused(String detail, Exchange exchange, Reply reply, String told) {
        String accepted = exchange.headers().getOrDefault("Accept", "application/xml");
        assertThat(reply.mediaType()).as(told).isEqualTo(accepted);
        boolean xml = reply.isXml();
        List<String> reasons =
                xml ? reply.at("//fault/reason") : either(reply, "/reason", "/fault/reason");
        List<String> details =
                xml ? reply.at("//fault/detail") : either(reply, "/detail", "/fault/detail");
        assertThat(reasons).as(told).isNotEmpty();
        assertThat(String.join(" ", details)).as(told).contains(filled(detail));
    }

    private static List<String> either(Reply reply, String one, String other) {
        List<String> found = reply.at(one);
        return found.isEmpty() ? reply.at(other) : found;
    }
}
