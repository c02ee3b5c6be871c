package org.stillwater.server.api.web;

import java.util.List;
import java.util.Set;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * The native interface reads and writes JSON, and no other form of objects. Libraries that are
 * there for other reasons (XML for the interface of oVirt, YAML for the description of this one)
 * would make the web framework take such bodies, too: readers without need and bounds.
 */
@Configuration(proxyBeanMethods = false)
class JsonOnly implements WebMvcConfigurer {

    private static final Set<String> FOREIGN = Set.of("xml", "yaml", "x-yaml", "cbor");

    @Override
    public void configureMessageConverters(HttpMessageConverters.ServerBuilder builder) {
        builder.configureMessageConvertersList(
                converters -> converters.removeIf(JsonOnly::isForeign));
    }

    private static boolean isForeign(HttpMessageConverter<?> converter) {
        List<MediaType> types = converter.getSupportedMediaTypes();
        return types.stream()
                .map(MediaType::getSubtype)
                .anyMatch(subtype ->
                        FOREIGN.contains(subtype)
                                || subtype.endsWith("+xml")
                                || subtype.endsWith("smile"));
    }
}
