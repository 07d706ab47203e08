//! The mandatory objects, which every API server creates and no one may change.

use rhumb_api::flowcontrol::v1::{
    FlowDistinguisherMethod, FlowSchemaSpec, GroupSubject, LimitResponse, LimitedPriorityLevelConfiguration,
    NonResourcePolicyRule, PolicyRulesWithSubjects, PriorityLevelConfigurationReference,
    PriorityLevelConfigurationSpec, ResourcePolicyRule, Subject,
};

use super::{CATCH_ALL, EXEMPT};

/// Returns what the schema of that name must be, if it is a mandatory one.
pub(super) fn flow_schema(name: &str) -> Option<FlowSchemaSpec> {
    match name {
        EXEMPT => Some(schema(EXEMPT, 1, None, &["system:masters"])),
        CATCH_ALL => {
            let everyone = ["system:unauthenticated", "system:authenticated"];
            Some(schema(CATCH_ALL, 10000, Some("ByUser"), &everyone))
        }
        _ => None,
    }
}

/// Returns what the level of that name must be, if it is a mandatory one. The exempt level's own settings are free.
pub(super) fn priority_level(name: &str) -> Option<PriorityLevelConfigurationSpec> {
    match name {
        EXEMPT => {
            Some(PriorityLevelConfigurationSpec { type_: "Exempt".to_owned(), limited: None, exempt: None })
        }
        CATCH_ALL => {
            let limited = LimitedPriorityLevelConfiguration {
                nominal_concurrency_shares: Some(5),
                limit_response: LimitResponse { type_: "Reject".to_owned(), queuing: None },
                lendable_percent: Some(0),
                borrowing_limit_percent: None,
            };
            Some(PriorityLevelConfigurationSpec {
                type_: "Limited".to_owned(),
                limited: Some(Box::new(limited)),
                exempt: None,
            })
        }
        _ => None,
    }
}

/// Returns a schema that takes every request of some groups.
fn schema(level: &str, precedence: i32, method: Option<&str>, groups: &[&str]) -> FlowSchemaSpec {
    let all = || vec!["*".to_owned()];
    let subjects = groups.iter().map(|name| Subject {
        kind: "Group".to_owned(),
        group: Some(Box::new(GroupSubject { name: (*name).to_owned() })),
        ..Subject::default()
    });
    let resources = ResourcePolicyRule {
        verbs: all(),
        api_groups: all(),
        resources: all(),
        cluster_scope: true,
        namespaces: all(),
    };
    FlowSchemaSpec {
        priority_level_configuration: PriorityLevelConfigurationReference { name: level.to_owned() },
        matching_precedence: precedence,
        distinguisher_method: method
            .map(|method| Box::new(FlowDistinguisherMethod { type_: method.to_owned() })),
        rules: vec![PolicyRulesWithSubjects {
            subjects: subjects.collect(),
            resource_rules: vec![resources],
            non_resource_rules: vec![NonResourcePolicyRule { verbs: all(), non_resource_urls: all() }],
        }],
    }
}
