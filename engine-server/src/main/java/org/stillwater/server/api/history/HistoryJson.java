package org.stillwater.server.api.history;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.monitoring.history.HistoryAnswer;
import org.stillwater.server.api.web.Json;
import tools.jackson.core.JsonGenerator;

/** History as JSON, in columns, and as CSV, a line per metric and point; a gap is null or empty. */
final class HistoryJson {

    /** No metric is kept more finely. */
    private static final int DECIMALS = 3;

    private HistoryJson() {}

    static void write(JsonGenerator json, HistoryJsonModule.History history) {
        HistoryAnswer answer = history.answer();
        json.writeStartObject();
        json.writeStringProperty(
                history.subject() == Subject.VM ? "vmId" : "hostId", history.id().toString());
        json.writeStringProperty("from", answer.from().toString());
        json.writeStringProperty("to", answer.to().toString());
        json.writeStringProperty("step", answer.step().toString());
        json.writeArrayPropertyStart("sources");
        for (HistoryAnswer.Source source : answer.sources()) {
            json.writeStartObject();
            json.writeStringProperty("name", source.name());
            json.writeStringProperty("from", source.from().toString());
            json.writeStringProperty("to", source.to().toString());
            json.writeStringProperty("resolution", source.resolution().toString());
            json.writeEndObject();
        }
        json.writeEndArray();
        Json.text(json, "missing", answer.missing());
        json.writeArrayPropertyStart("at");
        for (int i = 0; i < answer.points(); i++) {
            json.writeString(answer.at(i).toString());
        }
        json.writeEndArray();
        json.writeArrayPropertyStart("series");
        for (HistoryAnswer.Series series : answer.series()) {
            json.writeStartObject();
            json.writeStringProperty("metric", series.metric().label());
            json.writeStringProperty("unit", series.metric().unit());
            column(json, "min", series.points(), HistoryPoint::min);
            column(json, "mean", series.points(), HistoryPoint::mean);
            column(json, "max", series.points(), HistoryPoint::max);
            json.writeArrayPropertyStart("count");
            for (HistoryPoint point : series.points()) {
                json.writeNumber(point == null ? 0 : point.count());
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void column(
            JsonGenerator json,
            String name,
            List<@Nullable HistoryPoint> points,
            ToDoubleFunction<HistoryPoint> value) {
        json.writeArrayPropertyStart(name);
        for (HistoryPoint point : points) {
            if (point == null) {
                json.writeNull();
            } else {
                json.writeNumber(rounded(value.applyAsDouble(point)));
            }
        }
        json.writeEndArray();
    }

    /** With lines as RFC 4180 has them. */
    static String csv(HistoryAnswer answer) {
        StringBuilder text = new StringBuilder("at,metric,unit,min,mean,max,count\r\n");
        for (HistoryAnswer.Series series : answer.series()) {
            for (int i = 0; i < series.points().size(); i++) {
                HistoryPoint point = series.points().get(i);
                text.append(answer.at(i))
                        .append(',')
                        .append(series.metric().label())
                        .append(',')
                        .append(series.metric().unit())
                        .append(',');
                if (point == null) {
                    text.append(",,,0\r\n");
                } else {
                    text.append(rounded(point.min()).toPlainString())
                            .append(',')
                            .append(rounded(point.mean()).toPlainString())
                            .append(',')
                            .append(rounded(point.max()).toPlainString())
                            .append(',')
                            .append(point.count())
                            .append("\r\n");
                }
            }
        }
        return text.toString();
    }

    private static BigDecimal rounded(double value) {
        BigDecimal rounded = BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_UP);
        return rounded.signum() == 0
                ? BigDecimal.ZERO
                : new BigDecimal(rounded.stripTrailingZeros().toPlainString());
    }
}
