package org.stillwater.server.alert;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.stillwater.server.settings.AlertSettings;
import tools.jackson.databind.json.JsonMapper;

/** Posts notices to a webhook in Alertmanager's format. */
final class WebhookSender implements NoticeSender {

    private static final int SUCCESS = 2;
    private static final int HUNDRED = 100;

    /**
     * The receiver does not accept this content and will not accept it later. Other refusals, such
     * as that of a login, end when an operator mends the receiver.
     */
    private static final Set<Integer> REFUSALS = Set.of(400, 413, 422);

    private final AlertSettings settings;
    private final JsonMapper mapper;
    private final HttpClient client;

    WebhookSender(AlertSettings settings, JsonMapper mapper) {
        this.settings = settings;
        this.mapper = mapper;
        this.client =
                HttpClient.newBuilder()
                        // Without TLS, version 2 requests an upgrade that receivers stumble over.
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(settings.timeout())
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .build();
    }

    @Override
    public Outcome send(List<Notice> batch) throws InterruptedException {
        byte[] body = mapper.writeValueAsBytes(WebhookBody.of(batch, settings.externalUrl()));
        URI uri = URI.create(settings.webhook());
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri)
                        .timeout(settings.timeout())
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        String login = uri.getUserInfo();
        if (login != null) {
            // The JDK's client ignores it; Alertmanager's sends it.
            byte[] bytes = login.getBytes(StandardCharsets.UTF_8);
            request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes));
        }
        try {
            // The client's timeout ends with the headers: a body that never ends must not hold it.
            HttpResponse<InputStream> answer =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            answer.body().close();
            return of(answer.statusCode());
        } catch (IOException e) {
            return new Outcome.Failed(CleanText.line(String.valueOf(e.getMessage())));
        }
    }

    private static Outcome of(int status) {
        if (status / HUNDRED == SUCCESS) {
            return new Outcome.Taken(null);
        }
        String reason = "status " + status;
        return REFUSALS.contains(status) ? new Outcome.Refused(reason) : new Outcome.Failed(reason);
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
