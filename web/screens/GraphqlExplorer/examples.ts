export type Example = { readonly id: string; readonly name: string; readonly query: string; readonly variables: string }

/** First steps that work as they stand: for a new user too, who has no file yet. */
export const EXAMPLES: readonly Example[] = [
  {
    id: 'me',
    name: 'Who am I, and how much space is there?',
    query: `query Me {
  viewer {
    fullName
    email
    quota {
      usedBytes
      totalBytes
    }
    groupClouds {
      id
      name
      defaultUploadGroup
    }
  }
}
`,
    variables: '{}',
  },
  {
    id: 'list',
    name: 'List the newest files',
    query: `query Newest($first: Int!, $after: String) {
  viewer {
    files(view: ALL, first: $first, after: $after) {
      edges {
        node {
          id
          name
          size
          mimeType
          state
          updatedAt
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
}
`,
    variables: '{ "first": 10 }',
  },
  {
    id: 'search',
    name: 'Search by name',
    query: `query Search($query: String!) {
  viewer {
    files(view: ALL, query: $query, first: 20) {
      edges {
        node {
          id
          name
          path {
            name
          }
        }
      }
    }
  }
}
`,
    variables: '{ "query": "plan" }',
  },
  {
    id: 'folder',
    name: 'Create a folder',
    query: `mutation MakeFolder($input: CreateFolderInput!) {
  createFolder(input: $input) {
    __typename
    ... on CreateFolderPayload {
      file {
        id
        name
      }
    }
    ... on Error {
      code
      message
    }
  }
}
`,
    variables: '{ "input": { "name": "Made by a program" } }',
  },
  {
    id: 'watch',
    name: 'Listen to changes',
    query: `subscription Watch {
  filesChanged {
    files {
      id
      name
      state
    }
    removedIds
  }
}
`,
    variables: '{}',
  },
]
