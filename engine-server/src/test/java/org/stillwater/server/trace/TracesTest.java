package org.stillwater.server.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.trace.v1.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.testkit.VirtualClock;

class TracesTest {

    private static final int ALL = 10_000;

    private final VirtualClock clock = new VirtualClock();

    private OperationTraces operations(int inTenThousand, int most) {
        return new OperationTraces(
                clock, new TraceSampler(inTenThousand, new SplittableRandom(1)), most);
    }

    private Operation operation(int number) {
        return Operation.on(
                new VmId(1, number),
                new UUID(number * 0x9E3779B97F4A7C15L, number),
                OperationKind.RUN,
                OperationParameters.NONE,
                new Operation.Origin("admin", "it"),
                1,
                clock.now());
    }

    @Test
    void anOperationIsATraceWithItsSteps() {
        OperationTraces operations = operations(ALL, 10);
        Operation queued = operation(1);
        operations.told(queued);
        clock.advance(Duration.ofSeconds(1));
        Operation starts = queued.doing("starts on host-1", clock.now());
        operations.told(starts);
        operations.told(starts);
        assertThat(operations.take()).isEmpty();
        clock.advance(Duration.ofSeconds(2));
        operations.told(
                starts.ended(
                        OperationState.FAILED,
                        "failed",
                        new OperationFailure(OperationFailure.Code.ILLEGAL_STATE, "no memory"),
                        clock.now()));
        Span trace = operations.take().getFirst();
        assertThat(trace.name()).isEqualTo("operation run");
        assertThat(trace.error()).isEqualTo("no memory");
        assertThat(Duration.between(trace.start(), trace.end())).isEqualTo(Duration.ofSeconds(3));
        assertThat(trace.parts())
                .extracting(Span::name)
                .containsExactly("waits for its turn", "starts on host-1");
        assertThat(trace.parts().getFirst().end()).isEqualTo(trace.parts().getLast().start());
        assertThat(operations.take()).isEmpty();
    }

    @Test
    void aSampleOfOperationsIsTakenAndNoMoreThanFit() {
        OperationTraces some = operations(1_000, ALL);
        OperationTraces few = operations(ALL, 3);
        OperationTraces none = operations(0, 10);
        for (int i = 0; i < 2_000; i++) {
            Operation ended =
                    operation(i).ended(OperationState.SUCCEEDED, "done", null, clock.now());
            some.told(ended);
            few.told(ended);
            none.told(ended);
        }
        assertThat(some.take()).hasSizeBetween(100, 300);
        assertThat(few.take()).hasSize(3);
        assertThat(few.dropped()).isEqualTo(1_997);
        assertThat(none.take()).isEmpty();
    }

    @Test
    void tracesAreWrittenAsTheProtocolDefinesThem() throws Exception {
        Instant start = Instant.parse("2026-11-20T03:12:00.000000123Z");
        Span trace =
                new Span(
                        "statistics cycle",
                        start,
                        start.plusMillis(5),
                        Map.of("host.name", "host-1"),
                        "refused",
                        List.of(Span.of("wait for the host", start, start.minusSeconds(1))));
        byte[] written =
                new SpanEncoder(new SplittableRandom(3))
                        .request(List.of(trace, trace))
                        .toByteArray();
        var spans =
                ExportTraceServiceRequest.parseFrom(written)
                        .getResourceSpans(0)
                        .getScopeSpans(0)
                        .getSpansList();
        assertThat(spans).hasSize(4);
        var root = spans.get(0);
        var part = spans.get(1);
        assertThat(root.getTraceId().size()).isEqualTo(16);
        assertThat(root.getSpanId().size()).isEqualTo(8);
        assertThat(part.getTraceId()).isEqualTo(root.getTraceId());
        assertThat(part.getParentSpanId()).isEqualTo(root.getSpanId());
        assertThat(spans.get(2).getTraceId()).isNotEqualTo(root.getTraceId());
        assertThat(root.getStartTimeUnixNano())
                .isEqualTo(start.getEpochSecond() * 1_000_000_000 + 123);
        assertThat(root.getEndTimeUnixNano() - root.getStartTimeUnixNano()).isEqualTo(5_000_000);
        assertThat(part.getEndTimeUnixNano()).isEqualTo(part.getStartTimeUnixNano());
        assertThat(root.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_ERROR);
        assertThat(root.getAttributes(0).getValue().getStringValue()).isEqualTo("host-1");
    }
}
