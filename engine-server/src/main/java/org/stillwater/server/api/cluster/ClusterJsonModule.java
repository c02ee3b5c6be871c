package org.stillwater.server.api.cluster;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.server.api.web.JsonForm;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

/** The answers of clusters and how Jackson writes them. */
@Configuration(proxyBeanMethods = false)
class ClusterJsonModule {

    /**
     * One cluster with its hosts in numbers.
     *
     * @param cluster the cluster
     * @param hosts how many hosts belong to it
     * @param silentPercent share of those watched that is silent
     */
    record ClusterView(Cluster cluster, int hosts, int silentPercent) {}

    @Bean
    JacksonModule clusterJson() {
        return new SimpleModule("stillwater-cluster")
                .addSerializer(ClusterView.class, JsonForm.serializer(ClusterJson::write));
    }
}
