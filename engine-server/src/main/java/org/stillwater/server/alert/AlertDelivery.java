package org.stillwater.server.alert;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.AlertSettings;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends the begin and the end of each finding and of each alert of a rule to a webhook, once each
 * and in order. Alerts wait in memory while the receiver does not take them; the oldest are dropped
 * beyond a limit. A finding that is silenced when it begins or ends is left out. Thread-safe.
 */
public final class AlertDelivery {

    private static final Logger LOG = LoggerFactory.getLogger(AlertDelivery.class);
    private static final int SUCCESS = 2;
    private static final int HUNDRED = 100;

    private final AlertSettings settings;
    private final Function<SeriesOwner.Shared, String> names;
    private final EngineClock clock;
    private final JsonMapper mapper;
    private final HttpClient client;
    private final Counter sent;
    private final Counter failed;
    private final Counter dropped;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();

    // Guarded by the lock.
    private final Deque<Notice> waiting = new ArrayDeque<>();

    /** Whether the newest notice of a finding was about its begin; oldest first. */
    private final Map<UUID, Boolean> told = new LinkedHashMap<>();

    private @Nullable Duration pause;
    private volatile @Nullable SupervisedWorker worker;

    /**
     * A delivery that is not started.
     *
     * @param names objects in words
     */
    public AlertDelivery(
            AlertSettings settings,
            Function<SeriesOwner.Shared, String> names,
            EngineClock clock,
            JsonMapper mapper,
            MeterRegistry meters) {
        this.settings = settings;
        this.names = names;
        this.clock = clock;
        this.mapper = mapper;
        this.client =
                HttpClient.newBuilder()
                        .connectTimeout(settings.timeout())
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .build();
        this.sent = counter(meters, "stillwater.alerts.sent", "Alerts that the receiver took");
        this.failed =
                counter(meters, "stillwater.alerts.failed", "Requests that the receiver refused");
        this.dropped =
                counter(meters, "stillwater.alerts.dropped", "Alerts dropped because many waited");
        Gauge.builder("stillwater.alerts.waiting", this, AlertDelivery::waiting)
                .description("Alerts that wait for the receiver")
                .register(meters);
    }

    private static Counter counter(MeterRegistry meters, String name, String description) {
        return Counter.builder(name).description(description).register(meters);
    }

    /** Starts the sending thread. */
    public void start(Workers workers) {
        SupervisedWorker started =
                workers.worker(
                        "alert-delivery",
                        new SupervisedWorker.Work() {
                            @Override
                            public boolean await() throws InterruptedException {
                                return awaitNotice();
                            }

                            @Override
                            public void perform() throws InterruptedException {
                                boolean _ = send();
                            }
                        });
        worker = started;
        started.start();
    }

    /** Ends the thread; what waits is lost. */
    public void stop() {
        SupervisedWorker running = worker;
        if (running != null) {
            boolean _ = running.stop(Duration.ZERO);
        }
        client.shutdownNow();
    }

    /** Alerts that wait. */
    public int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    /** Takes the newest state of a finding; does not block on the receiver. */
    public void take(Finding finding) {
        if (settings.webhook().isEmpty() || finding.isSilenced(clock.now())) {
            return;
        }
        take(
                finding.id(),
                finding.isOpen(),
                () -> Notice.of(finding, names.apply(finding.where())));
    }

    /**
     * Takes the newest state of an alert that no silence covers; does not block on the receiver.
     */
    public void take(Alert alert) {
        if (!settings.webhook().isEmpty()) {
            take(alert.id(), alert.isFiring(), () -> Notice.of(alert));
        }
    }

    private void take(UUID id, boolean lasts, Supplier<Notice> notice) {
        lock.lock();
        try {
            Boolean before = told.get(id);
            if (before == null ? !lasts : before == lasts) {
                return; // told already, or an end whose begin was not told
            }
            told.remove(id);
            told.put(id, lasts);
            if (told.size() > settings.queue()) {
                told.remove(told.keySet().iterator().next());
            }
            waiting.addLast(notice.get());
            if (waiting.size() > settings.queue()) {
                waiting.removeFirst();
                dropped.increment();
            }
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitNotice() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            Duration rest = pause;
            if (rest != null) {
                long left = rest.toNanos();
                while (left > 0) {
                    left = news.awaitNanos(left);
                }
            }
            while (waiting.isEmpty()) {
                news.await();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends what waits, as far as one request takes. Tests without a thread call this.
     *
     * @return whether the receiver took it
     */
    boolean send() throws InterruptedException {
        List<Notice> batch = new ArrayList<>();
        lock.lock();
        try {
            for (Notice each : waiting) {
                if (batch.size() < settings.batch()) {
                    batch.add(each);
                }
            }
        } finally {
            lock.unlock();
        }
        if (batch.isEmpty()) {
            return true;
        }
        String trouble = post(WebhookBody.of(batch, settings.externalUrl()));
        lock.lock();
        try {
            if (trouble == null) {
                batch.forEach(waiting::remove);
                sent.increment(batch.size());
                pause = null;
                return true;
            }
            failed.increment();
            Duration doubled = pause == null ? settings.firstRetry() : pause.multipliedBy(2);
            if (pause == null) {
                LOG.warn("the receiver of alerts does not take them: {}", trouble);
            }
            pause =
                    doubled.compareTo(settings.longestRetry()) > 0
                            ? settings.longestRetry()
                            : doubled;
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Null if the receiver took it, else why not. */
    private @Nullable String post(WebhookBody body) throws InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(settings.webhook()))
                        .timeout(settings.timeout())
                        .header("Content-Type", "application/json")
                        .POST(
                                HttpRequest.BodyPublishers.ofByteArray(
                                        mapper.writeValueAsBytes(body)))
                        .build();
        try {
            int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            return status / HUNDRED == SUCCESS ? null : "status " + status;
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
