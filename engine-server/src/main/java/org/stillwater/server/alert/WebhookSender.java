package org.stillwater.server.alert;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.stillwater.server.settings.AlertSettings;
import tools.jackson.databind.json.JsonMapper;

/** Posts notices to a webhook in Alertmanager's format. */
final class WebhookSender implements NoticeSender {

    private static final int SUCCESS = 2;
    private static final int HUNDRED = 100;

    private final AlertSettings settings;
    private final JsonMapper mapper;
    private final HttpClient client;

    WebhookSender(AlertSettings settings, JsonMapper mapper) {
        this.settings = settings;
        this.mapper = mapper;
        this.client =
                HttpClient.newBuilder()
                        // Without TLS, version 2 asks for an upgrade that receivers stumble over.
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(settings.timeout())
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .build();
    }

    @Override
    public Outcome send(List<Notice> batch) throws InterruptedException {
        byte[] body = mapper.writeValueAsBytes(WebhookBody.of(batch, settings.externalUrl()));
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(settings.webhook()))
                        .timeout(settings.timeout())
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build();
        try {
            int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            return status / HUNDRED == SUCCESS
                    ? new Outcome.Taken(null)
                    : new Outcome.Failed("status " + status);
        } catch (IOException e) {
            return new Outcome.Failed(CleanText.line(String.valueOf(e.getMessage())));
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
